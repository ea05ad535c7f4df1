/// A level of access. Within a lane ranks are distinct, and a higher tier has everything that a lower one has.
package struct Tier: Hashable, Sendable {
    package let id: TierID
    package let lane: LaneID
    package let rank: Int
    package let features: [Feature]
    package let limits: [String: Int]
    package let devices: Int?
    /// Titles by language tag (BCP 47), like the titles of a product.
    package let titles: [String: String]

    package init(
        id: TierID, lane: LaneID = .main, rank: Int, features: [Feature] = [], limits: [String: Int] = [:],
        devices: Int? = nil, titles: [String: String] = [:]
    ) {
        self.id = id
        self.lane = lane
        self.rank = rank
        self.features = features
        self.limits = limits
        self.devices = devices
        self.titles = titles
    }
}

/// A set of tiers in which one pass runs at a time (`semantics.md` §2).
package struct Lane: Hashable, Sendable {
    /// The behaviour of a pass while a window of higher rank gives coverage in its lane.
    package enum UnderHigherWindow: String, Hashable, Sendable, CaseIterable {
        case run
        case pause
    }

    package let id: LaneID
    package let underHigherWindow: UnderHigherWindow

    package init(id: LaneID, underHigherWindow: UnderHigherWindow = .run) {
        self.id = id
        self.underHigherWindow = underHigherWindow
    }
}
