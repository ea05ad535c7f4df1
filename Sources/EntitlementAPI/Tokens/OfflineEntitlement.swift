import Entitlements

/// A user's status as a device without a connection may believe it, and until when.
///
/// Invariant: at every instant before `endsAt` the facts known now give everything that is claimed.
struct OfflineEntitlement {
    /// A token that gives nothing ends soon, so that a user who buys something gets a new token soon.
    static let longestWithoutAnything = Instant.millisecondsPerHour
    /// Changes of the timeline that are looked at; a token ends where nobody looked further.
    static let maximumChanges = 64

    /// The claimed status.
    let status: Status
    /// Exclusive; not after the gap-free coverage's end, and not after the first instant at which less is given.
    let endsAt: Instant
    /// The stores' worlds that it comes from.
    let environments: [StoreEnvironment]

    /// - Parameters:
    ///   - hours: The longest life.
    ///   - fold: The folded ledger at an instant; a fold that holds until that instant says nothing of what follows.
    init(at now: Instant, forHours hours: Int, _ fold: (Instant) -> API.Dependencies.Folded) {
        let folded = fold(now)
        status = folded.status
        endsAt = Self.end(of: folded, by: now + Self.life(of: folded.status, hours: hours), fold)
        environments = Set(status.entitlements.filter(\.isGiving).map(\.key.environment))
            .sorted { $0.rawValue < $1.rawValue }
    }

    private static func life(of status: Status, hours: Int) -> Int64 {
        let longest = Int64(hours) * Instant.millisecondsPerHour
        let givesAnything = status.active || status.addOns.contains { $0.state == .active }
        return givesAnything ? longest : min(longest, longestWithoutAnything)
    }

    /// Grace counts only once it is entered, so the end of coverage is not what a later status may say.
    private static func end(
        of first: API.Dependencies.Folded, by latest: Instant, _ fold: (Instant) -> API.Dependencies.Folded
    ) -> Instant {
        let coverageEnds = first.status.active ? first.status.expiresAt : nil
        let end = min(latest, coverageEnds ?? latest)
        var folded = first
        for _ in 0..<maximumChanges {
            let change = folded.holdsUntil
            guard change < end else { return end }
            folded = fold(change)
            guard folded.status.gives(everythingOf: first.status), folded.holdsUntil > change else { return change }
        }
        return min(end, folded.holdsUntil)
    }
}

extension Status {
    /// True if this status gives at least as much as `claimed`: a higher tier may take the place of a lower one.
    func gives(everythingOf claimed: Status) -> Bool {
        guard active || !claimed.active, rank >= claimed.rank, tier == claimed.tier || rank > claimed.rank
        else { return false }
        let activeAddOns = Set(addOns.filter { $0.state == .active }.map(\.productID))
        return Set(features).isSuperset(of: claimed.features)
            && claimed.limits.allSatisfy { name, limit in limits[name].map { $0 >= limit } ?? false }
            && claimed.addOns.allSatisfy { $0.state != .active || activeAddOns.contains($0.productID) }
    }

    private var rank: Int { tierRank ?? .min }
}

extension Entitlement {
    /// True if the status takes something from this purchase now.
    fileprivate var isGiving: Bool {
        switch state {
        case .running, .grace:
            switch kind {
            case .pass, .plan, .addOn: true
            case .consumable, nil: false
            }
        case .queued, .paused, .finished, .revoked, .billingRetry, .suspended, .recorded: false
        }
    }
}
