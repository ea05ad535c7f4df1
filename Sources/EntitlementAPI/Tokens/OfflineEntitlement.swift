import Entitlements

/// The part of a user's status that a device without a connection may rely on, and until when.
///
/// Invariant: by the facts known now, everything that ``status`` claims holds at every instant before ``endsAt``.
struct OfflineEntitlement {
    /// The longest life of a token that gives nothing, in milliseconds. It is short so that a user who buys something
    /// soon gets a new token.
    static let longestWithoutAnything = Instant.millisecondsPerHour
    /// The most changes of the timeline that are examined. If there are more, the token ends where the last examined
    /// status ends.
    static let maximumChanges = 64

    /// The claimed status.
    let status: Status
    /// The end of the token, exclusive. It is no later than the end of gap-free coverage, nor the first instant at
    /// which something is lost.
    let endsAt: Instant
    /// The environments of the purchases that give something now.
    let environments: [StoreEnvironment]

    /// - Parameters:
    ///   - hours: The longest life in hours.
    ///   - fold: The status at an instant, and the instant until which it holds.
    init(at now: Instant, forHours hours: Int, _ fold: (Instant) -> Standing) {
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

    /// The end of the token: the end of coverage, the first change after which something is lost, or `latest`. The end
    /// of coverage is taken from `first`, because a later status may add grace that has begun by then.
    private static func end(
        of first: Standing, by latest: Instant, _ fold: (Instant) -> Standing
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
    /// True if this status gives at least as much as `claimed`. A higher tier may replace a lower one.
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
    /// True if this purchase gives access now.
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
