/// The events of a source that list periods, and the stretches in which each period runs by them (`semantics.md` §7).
///
/// An event lists all periods that run. A period that the next event leaves out is over, because another took its place
/// or its item was removed from the subscription. A period that a later event lists again runs again.
struct PeriodListings {
    /// The periods that one event lists.
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

    /// The stretches in which the whole subscription is paused. Each lasts from the first event that says so to the
    /// next event that does not.
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

    /// Returns the stretches in which `period` runs; nil if no event lists it. If the very first event lists the
    /// period, the first stretch begins at `distantPast`, so the caller has to cut it at the period's start.
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

    /// Returns the start of a period that `listing` is the first to list. The period normally runs from its own start.
    /// If the event before lists a period with the same or a later start, the new one runs only from the event on.
    private func start(of period: Period, in listing: Listing, after previous: Listing) -> Instant {
        let isInMidst = previous.periods.contains { starts[$0].map { $0 >= period.startsAt } ?? false }
        return isInMidst ? listing.statedAt.signedAt : period.startsAt
    }

    /// Returns the end of a period that `listing` leaves out: the start of the period that replaced it if that is later
    /// than the period's own start, else the date of the event. The replacing periods are those that are new in the
    /// event, only those of the same item if there are any.
    private func end(of period: Period, in listing: Listing, after previous: Listing) -> Instant {
        let new = listing.periods.subtracting(previous.periods)
        let heirs = new.filter { items[$0] == period.item }
        let begun = (heirs.isEmpty ? new : heirs).compactMap { starts[$0] }
        return begun.filter { $0 > period.startsAt }.min() ?? listing.statedAt.signedAt
    }
}
