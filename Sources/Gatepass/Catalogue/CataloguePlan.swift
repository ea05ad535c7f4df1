import EntitlementAPI
import Entitlements
import Foundation

/// The changes that a catalogue would make if it came into force: who gains, who loses, and which recorded purchases
/// become known.
struct CataloguePlan: Sendable {
    /// The access that a user has: the tier, and when the tier and all access end.
    struct Access: Hashable, Sendable {
        let tier: TierID?
        private let rank: Int
        /// Nil without access, and if there is no end.
        let expiresAt: Instant?
        let accessExpiresAt: Instant?
        private let active: Bool

        /// - Parameter catalogue: The catalogue whose ranks count. A new catalogue may number its tiers anew.
        init(_ status: Status, under catalogue: CatalogueVersions) {
            tier = status.tier
            rank = status.tier.flatMap { catalogue.tier($0)?.rank } ?? status.tierRank ?? -1
            active = status.active
            expiresAt = status.active ? status.expiresAt : nil
            accessExpiresAt = status.active ? status.accessExpiresAt : nil
        }

        /// True if this access has a higher tier than `other`, or the same one for longer.
        func isBetter(than other: Access) -> Bool {
            (rank, end(expiresAt), end(accessExpiresAt))
                > (other.rank, other.end(other.expiresAt), other.end(other.accessExpiresAt))
        }

        private func end(_ instant: Instant?) -> Instant { instant ?? (active ? .distantFuture : .distantPast) }
    }

    /// A user whose access changes.
    struct Change: Hashable, Sendable {
        let user: UserID
        let before: Access
        let after: Access
    }

    /// A recorded purchase whose product the catalogue would make known.
    struct KnownPurchase: Hashable, Sendable {
        let user: UserID
        let key: PurchaseKey
        let product: ProductID?
    }

    /// The number that the catalogue has as a version, or would have.
    let version: Int
    /// False if the newest version says the same.
    let isNew: Bool
    private(set) var users = 0
    /// The number of users whose ledgers cannot be read.
    private(set) var unreadable = 0
    private(set) var gains: [Change] = []
    private(set) var losses: [Change] = []
    private(set) var knownPurchases: [KnownPurchase] = []

    init(version: Int, isNew: Bool) {
        self.version = version
        self.isNew = isNew
    }

    /// Adds users, whose timelines are folded under the catalogue as it is and as it would be.
    mutating func add(_ timelines: [(before: Timeline, after: Timeline)], unreadable: Int, at now: Instant) {
        users += timelines.count
        self.unreadable += unreadable
        for (before, after) in timelines {
            let (old, new) = (
                Access(before.status(at: now), under: after.catalogue),
                Access(after.status(at: now), under: after.catalogue)
            )
            let change = Change(user: before.user, before: old, after: new)
            if new.isBetter(than: old) { gains.append(change) }
            if old.isBetter(than: new) { losses.append(change) }
            let unknown = Set(before.purchases.filter { before.obstacle(to: $0) == .unknownProduct }.map(\.key))
            for purchase in after.purchases where unknown.contains(purchase.key) && purchase.isHeld(at: now) {
                guard after.obstacle(to: purchase) != .unknownProduct else { continue }
                knownPurchases.append(
                    KnownPurchase(user: before.user, key: purchase.key, product: purchase.productID))
            }
        }
    }
}

/// The plan in words and as JSON.
extension CataloguePlan {
    /// The most lines of each list in words.
    private static let longestList = 20

    /// The plan in words, with the first lines of each list.
    var lines: [String] {
        guard isNew else { return ["nothing to do: version \(version) says the same"] }
        let unread = unreadable > 0 ? ", \(unreadable) more cannot be read" : ""
        return ["version \(version) would be in force; \(users.counted("user")) looked at\(unread)"]
            + Self.list(gains, "user", ("gains", "gain"), Self.line)
            + Self.list(losses, "user", ("loses", "lose"), Self.line)
            + Self.list(knownPurchases, "recorded purchase", ("becomes known", "become known")) { purchase in
                let key = purchase.key
                let place = "\(key.source.text) \(key.externalID.text), \(key.environment.rawValue)"
                return "\(purchase.user.text): \(purchase.product?.text ?? "unknown product") (\(place))"
            }
    }

    /// The whole plan as JSON.
    var document: [String: Any] {
        [
            "catalog_version": version, "is_new": isNew, "users": users, "unreadable": unreadable,
            "gains": gains.map(Self.document), "losses": losses.map(Self.document),
            "known_purchases": knownPurchases.map { purchase in
                [
                    "user_id": purchase.user.text, "source": purchase.key.source.text,
                    "app": purchase.key.app.text, "environment": purchase.key.environment.rawValue,
                    "external_id": purchase.key.externalID.text,
                    "product_id": purchase.product?.text as Any? ?? NSNull(),
                ]
            },
        ]
    }

    private static func list<Row>(
        _ rows: [Row], _ word: String, _ verb: (one: String, many: String), _ line: (Row) -> String
    ) -> [String] {
        guard !rows.isEmpty else { return ["no \(word) \(verb.one)"] }
        let rest = rows.count > longestList ? ["  and \(rows.count - longestList) more, which --json lists"] : []
        return ["\(rows.count.counted(word)) \(rows.count == 1 ? verb.one : verb.many):"]
            + rows.prefix(longestList).map { "  " + line($0) } + rest
    }

    private static func line(_ change: Change) -> String {
        "\(change.user.text): \(words(change.before)); then \(words(change.after))"
    }

    private static func words(_ access: Access) -> String {
        let ends = [("until", access.expiresAt), ("access until", access.accessExpiresAt)]
        let told = access.expiresAt == access.accessExpiresAt ? Array(ends.prefix(1)) : ends
        let times = told.compactMap { word, end in end.map { "\(word) \(RFC3339.text(of: $0))" } }
        return ([access.tier?.text ?? "no tier"] + times).joined(separator: " ")
    }

    private static func document(_ change: Change) -> [String: Any] {
        ["user_id": change.user.text, "before": document(change.before), "after": document(change.after)]
    }

    private static func document(_ access: Access) -> [String: Any] {
        let ends = [("expires_at", access.expiresAt), ("access_expires_at", access.accessExpiresAt)]
        return ends.reduce(into: ["tier": access.tier?.text as Any? ?? NSNull()]) { document, end in
            document[end.0] = end.1.map { RFC3339.text(of: $0) } as Any? ?? NSNull()
        }
    }
}
