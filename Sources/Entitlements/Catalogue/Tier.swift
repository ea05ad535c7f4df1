/// A level of access. Within a lane ranks are distinct, and a higher tier has everything that a lower one has.
package struct Tier: Hashable, Sendable {
    /// The number of a limit that the catalogue calls `unlimited`: the largest whole number that every reader of JSON
    /// has exactly, 2^53 - 1. So clients compare with it as with any other limit.
    package static let unlimited = 9_007_199_254_740_991

    package let id: TierID
    package let lane: LaneID
    package let rank: Int
    package let features: [Feature]
    /// The limits by their names, up to ``unlimited``.
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

    /// A limit as the catalogue writes it.
    package static func text(ofLimit limit: Int) -> String { limit == unlimited ? "unlimited" : String(limit) }
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
