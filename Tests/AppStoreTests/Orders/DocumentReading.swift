import Foundation
import Support

/// `semantics.md` §2 and §7 taken literally, for passes of one lane and for one plan, from the signed texts alone.
///
/// It decodes the texts by itself and works everything out anew for each instant; written without a look at the fold
/// that is held against it.
struct DocumentReading {
    /// What a text says of a transaction.
    struct State {
        let transaction: String
        let original: String
        let product: String
        let isPlan: Bool
        /// `webOrderLineItemId`, else the transaction.
        let period: String
        let purchasedAt: Int64
        let originallyAt: Int64
        let expiresAt: Int64?
        let signedAt: Int64
        let isUpgraded: Bool
        let revokedAt: Int64?
        /// Of 100000; 0 without a revocation.
        let share: Int64
    }

    /// What a text says of a renewal.
    struct Renewal {
        let signedAt: Int64
        let willRenew: Bool
        let into: String?
        let graceUntil: Int64?
        let isInRetry: Bool
        let end: String?
        let consent: String?
    }

    struct Tier {
        let name: String
        let rank: Int
    }

    private(set) var states: [State] = []
    private(set) var renewals: [Renewal] = []

    static let day: Int64 = 86_400_000
    static let whole: Int64 = 100_000
    private static let basic = Tier(name: "basic", rank: 1)
    private static let pro = Tier(name: "pro", rank: 2)
    static let tiers = ["pass.30": pro, "basic.30": basic, "annual.3": pro, "monthly.1": basic]

    /// Reads compact texts of transactions and renewal infos. Throws for what is no such text.
    init(_ texts: [String]) throws {
        for text in texts {
            let members = try Self.members(of: text)
            if members["transactionId"] == nil {
                renewals.append(Renewal(members))
            } else {
                states.append(try State(members))
            }
        }
    }

    private struct Unreadable: Error {}

    private static func members(of text: String) throws -> [String: Any] {
        let segments = text.split(separator: ".")
        guard segments.count == 3 else { throw Unreadable() }
        let plain = String(segments[1]).replacing("-", with: "+").replacing("_", with: "/")
        let padded = plain + String(repeating: "=", count: (4 - plain.count % 4) % 4)
        guard let data = Data(base64Encoded: padded),
            let members = try JSONSerialization.jsonObject(with: data) as? [String: Any]
        else { throw Unreadable() }
        return members
    }

    // MARK: The refunded share

    /// The largest share that any of the transactions of `states` shows at `instant`.
    static func share(of states: [State], at instant: Int64) -> Int64 {
        Dictionary(grouping: states, by: \.transaction).values.map { shareOfOne($0, at: instant) }.max() ?? 0
    }

    private static func shareOfOne(_ states: [State], at instant: Int64) -> Int64 {
        let inOrder = states.sorted { left, right in
            if left.signedAt != right.signedAt { return left.signedAt < right.signedAt }
            guard let first = left.revokedAt, let second = right.revokedAt else {
                return left.revokedAt == nil && right.revokedAt != nil
            }
            return left.share != right.share ? left.share < right.share : first > second
        }
        var (share, lastReversal, wasRevoked) = (Int64(0), Int64.min, false)
        for (place, state) in inOrder.enumerated() {
            let next = place + 1 < inOrder.count ? inOrder[place + 1].signedAt : .max
            if state.signedAt <= instant, instant < next { share = max(share, state.share) }
            if let revokedAt = state.revokedAt {
                if revokedAt > lastReversal, revokedAt <= instant, instant < state.signedAt {
                    share = max(share, state.share)
                }
            } else if wasRevoked {
                lastReversal = state.signedAt
            }
            wasRevoked = state.revokedAt != nil
        }
        return share
    }

    /// The instants at which a share of `states` may change.
    static func turns(of states: [State]) -> [Int64] {
        states.flatMap { [$0.signedAt, $0.revokedAt].compactMap(\.self) }
    }

    // MARK: The pass clock

    /// What the passes cover.
    func passPieces() -> [ReadAnswer.Piece] {
        struct Pass {
            let id: String
            let tier: Tier
            let anchor: Int64
            let states: [State]
            var ran: Int64 = 0
        }
        var passes = Dictionary(grouping: states.filter { !$0.isPlan }, by: \.original).map { id, states in
            let own = states.filter { $0.transaction == id }.map(\.purchasedAt)
            return Pass(
                id: id, tier: Self.tiers[states[0].product] ?? Self.basic,
                anchor: own.min() ?? states.map(\.originallyAt).min() ?? 0, states: states)
        }
        let turns = passes.flatMap { [$0.anchor] + Self.turns(of: $0.states) }.sorted()
        func paid(_ pass: Pass, at instant: Int64) -> Int64 {
            30 * Self.day * (Self.whole - Self.share(of: pass.states, at: instant)) / Self.whole
        }
        var pieces: [ReadAnswer.Piece] = []
        var now = turns.first ?? .max
        while now < .max {
            let runs = passes.indices.filter { passes[$0].anchor <= now && passes[$0].ran < paid(passes[$0], at: now) }
            let runner = runs.min { left, right in
                let (first, second) = (passes[left], passes[right])
                return (-first.tier.rank, first.anchor, first.id) < (-second.tier.rank, second.anchor, second.id)
            }
            var next = turns.first { $0 > now } ?? .max
            if let runner {
                next = min(next, now + paid(passes[runner], at: now) - passes[runner].ran)
                passes[runner].ran += next - now
                let (id, tier) = (passes[runner].id, passes[runner].tier.name)
                if let last = pieces.last, last.id == id, last.until == now {
                    pieces[pieces.count - 1] = ReadAnswer.Piece(id: id, tier: tier, from: last.from, until: next)
                } else {
                    pieces.append(ReadAnswer.Piece(id: id, tier: tier, from: now, until: next))
                }
            }
            now = next
        }
        return pieces
    }
}

extension DocumentReading.State {
    fileprivate struct Missing: Error {}

    fileprivate init(_ members: [String: Any]) throws {
        func number(_ name: String) -> Int64? { (members[name] as? NSNumber)?.int64Value }
        func text(_ name: String) -> String? { members[name] as? String }
        guard let id = text("transactionId"), let original = text("originalTransactionId"),
            let product = text("productId"), let purchasedAt = number("purchaseDate"),
            let signedAt = number("signedDate")
        else { throw Missing() }
        transaction = id
        self.original = original
        self.product = product
        isPlan = text("type") == "Auto-Renewable Subscription"
        period = text("webOrderLineItemId") ?? id
        self.purchasedAt = purchasedAt
        originallyAt = number("originalPurchaseDate") ?? purchasedAt
        expiresAt = number("expiresDate")
        self.signedAt = signedAt
        isUpgraded = members["isUpgraded"] as? Bool ?? false
        revokedAt = number("revocationDate")
        let isPart = text("revocationType") == "REFUND_PRORATED"
        share = revokedAt == nil ? 0 : isPart ? number("revocationPercentage") ?? 0 : DocumentReading.whole
    }
}

extension DocumentReading.Renewal {
    fileprivate init(_ members: [String: Any]) {
        func number(_ name: String) -> Int64? { (members[name] as? NSNumber)?.int64Value }
        signedAt = number("signedDate") ?? 0
        willRenew = number("autoRenewStatus") == 1
        into = members["autoRenewProductId"] as? String
        graceUntil = number("gracePeriodExpiresDate")
        isInRetry = members["isInBillingRetryPeriod"] as? Bool ?? false
        let ends = ["cancelled", "billing_error", "price_increase_declined", "product_unavailable", "other"]
        end = isInRetry ? nil : number("expirationIntent").map { ends[Int($0) - 1] }
        consent = number("priceIncreaseStatus").map { $0 == 0 ? "pending" : "agreed" }
    }
}
