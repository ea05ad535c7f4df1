import Foundation

/// The passes, features and limits of a user (`api.md`, Status). Unlock by it, and by nothing of StoreKit's.
///
/// The answer has more members, for which an app has no use. An enum of the server's is a text here, because values may
/// be added.
public struct Status: Sendable, Equatable, Decodable {
    /// The user whom it is about.
    public internal(set) var userID: String
    /// The server's time of it.
    public internal(set) var at: Date
    /// True where anything is covered now.
    public internal(set) var active: Bool
    /// The highest tier now, else the catalogue's default; nil where a kept answer has ended.
    public internal(set) var tier: String?
    /// The end of gap-free coverage at that tier or a higher one, or of the last one; exclusive.
    public internal(set) var expiresAt: Date?
    /// The end of gap-free coverage at any tier.
    public internal(set) var accessExpiresAt: Date?
    /// `active`, `grace`, `expired` or `none`.
    public internal(set) var state: String
    /// All features that are open now.
    public internal(set) var features: [String]
    var limits: [String: Int]
    /// Bought once, for good.
    public internal(set) var addOns: [AddOn]
    /// Every purchase. This and the next two are nil where the status was read from an offline token.
    public internal(set) var entitlements: [Entitlement]?
    public internal(set) var credits: [Balance]?
    public internal(set) var devices: Seats?
    /// The number of the user's last change, of two answers the larger one is newer; nil from servers that tell none.
    var sequence: Int?

    /// The limit of this name in the catalogue; nil where it has none, or where a kept answer has ended.
    public func limit(_ name: String) -> Int? { limits[name] }

    /// The number that stands for no limit (`api.md`, Status): compare a count with it as with any.
    public static let unlimited = 9_007_199_254_740_991

    /// An add-on of a user.
    public struct AddOn: Sendable, Equatable, Decodable {
        public let productID: String
        public let features: [String]
        /// `active`, `suspended` or `revoked`.
        public let state: String
    }

    /// A purchase, or what an operator granted.
    public struct Entitlement: Sendable, Equatable, Decodable {
        /// `apple_iap`, `stripe` or `manual`.
        public let source: String
        /// The original transaction id, of Apple's purchases.
        public let externalID: String
        /// The name in the catalogue, and the store's own.
        public let productID: String?
        public let storeProductID: String?
        public let kind: String?
        public let tier: String?
        /// `running`, `queued`, `paused`, `finished`, `revoked`, `grace`, `billing_retry`, `suspended` or `recorded`.
        public let state: String
        public let startsAt: Date?
        public let endsAt: Date?
        public let willRenew: Bool?
    }

    /// The credits of one unit in one environment.
    public struct Balance: Sendable, Equatable, Decodable {
        public let unit: String
        /// `Production` or `Sandbox`.
        public let environment: String
        public let spendable: Int
        public let debt: Int
        public let reserved: Int
    }

    /// How many devices may be, are, and wait to be in use.
    public struct Seats: Sendable, Equatable, Decodable {
        public let allowed: Int
        public let active: Int
        public let suspended: Int
    }
}

extension Status {
    /// The part of it that still counts at `now`: at `expiresAt` the tier ends, and what an add-on gives goes on.
    func counting(at now: Date) -> Status {
        guard active, let expiresAt, now >= expiresAt else { return self }
        var rest = self
        rest.active = accessExpiresAt.map { now < $0 } ?? false
        if !rest.active { rest.state = "expired" }
        rest.tier = nil
        rest.features = addOns.filter { $0.state == "active" }.flatMap(\.features)
        rest.limits = [:]
        return rest
    }

    /// True where nothing of what was paid counts any more.
    var givesNothing: Bool { !active && !addOns.contains { $0.state == "active" } }
}
