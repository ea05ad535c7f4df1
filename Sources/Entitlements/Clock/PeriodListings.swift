/// The stretches in which the periods of a chain run, by the events of its source (`semantics.md` §7).
///
/// An event lists all periods that run. A period that it leaves out is over: another took its place, or it was taken
/// off the subscription. A period that comes back runs again.
struct PeriodListings {
    /// The periods that an event lists.
    private struct Listing {
        let statedAt: StatedAt
        var periods: Set<PeriodID> = []
        var isPaused = false
    }

    private let listings: [Listing]
    private let starts: [PeriodID: Instant]
    private let items: [PeriodID: String?]

    init(of periods: [Period]) {
        var listings: [String: Listing] = [:]
        for period in periods {
            for state in period.states {
                guard let eventID = state.eventID, state.expiresAt != nil else { continue }
                var listing = listings[eventID] ?? Listing(statedAt: state.statedAt)
                if state.statesPeriod { listing.periods.insert(period.id) }
                if state.suspension != nil { listing.isPaused = true }
                listings[eventID] = listing
            }
        }
        self.listings = listings.values.sorted { $0.statedAt < $1.statedAt }
        starts = Dictionary(periods.map { ($0.id, $0.startsAt) }, uniquingKeysWith: { first, _ in first })
        items = Dictionary(periods.map { ($0.id, $0.item) }, uniquingKeysWith: { first, _ in first })
    }

    /// The stretches in which all of it is paused: each from the first event that says so to the next that does not.
    var pauses: [Suspension] {
        var pauses: [Suspension] = []
        var pausedAt: Instant?
        for listing in listings {
            let signedAt = listing.statedAt.signedAt
            if listing.isPaused {
                pausedAt = pausedAt ?? signedAt
            } else if let start = pausedAt {
                pauses.append(Suspension(startsAt: start, endsAt: signedAt))
                pausedAt = nil
            }
        }
        return pauses + [pausedAt].compactMap { $0 }.map { Suspension(startsAt: $0, endsAt: nil) }
    }

    /// The stretches in which `period` runs, the first listing reaching back; nil where no event lists it.
    func parts(of period: Period) -> [Interval]? {
        var parts: [Interval] = []
        var openedAt: Instant?
        var previous: Listing?
        for listing in listings {
            let isListed = listing.periods.contains(period.id)
            if isListed, openedAt == nil {
                let comesBack = !parts.isEmpty
                openedAt =
                    comesBack
                    ? listing.statedAt.signedAt
                    : previous.map { start(of: period, in: listing, after: $0) } ?? .distantPast
            } else if !isListed, let start = openedAt, let last = previous {
                parts.append(.init(startsAt: start, endsAt: end(of: period, in: listing, after: last)))
                openedAt = nil
            }
            previous = listing
        }
        if let openedAt { parts.append(.init(startsAt: openedAt, endsAt: nil)) }
        return parts.isEmpty ? nil : parts
    }

    /// The start of a period that `listing` is the first to list. A period that begins no later than one that ran
    /// before has come in its midst, when the event was stated.
    private func start(of period: Period, in listing: Listing, after previous: Listing) -> Instant {
        let isInMidst = previous.periods.contains { starts[$0].map { $0 >= period.startsAt } ?? false }
        return isInMidst ? listing.statedAt.signedAt : period.startsAt
    }

    /// The end of a period that `listing` leaves out: where its heir begins, if that is later, else when the event was
    /// stated. Heirs are the periods that came with the event, of the same item if there are any.
    private func end(of period: Period, in listing: Listing, after previous: Listing) -> Instant {
        let new = listing.periods.subtracting(previous.periods)
        let heirs = new.filter { items[$0] == period.item }
        let begun = (heirs.isEmpty ? new : heirs).compactMap { starts[$0] }
        return begun.filter { $0 > period.startsAt }.min() ?? listing.statedAt.signedAt
    }
}
