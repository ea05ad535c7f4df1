import Entitlements
import Testing

/// What somebody has who is erased in a test.
enum Belongings {
    static let account = "70001"

    /// A pass, its restored copy, coins, an add-on and a plan of two periods.
    static let sales: [VerifiedPurchase] = [
        Sample.pass("20001", day: 30, account: account),
        Sample.pass("20001", day: 30, transaction: "20002", account: account),
        Sample.sale("20003", of: "coins.100", .consumable, day: 31, account: account),
        Sample.sale("20004", of: "vault", .addOn, day: 32, account: account),
        Sample.sale("20005", of: "plan.month", .plan, day: 2, period: "40001", account: account),
        Sample.sale("20005", of: "plan.month", .plan, day: 32, transaction: "20006", period: "40002", account: account),
    ]

    static let refundOfPass = Sample.pass("20001", day: 30, account: account, signedDay: 41, revokedDay: 41)

    static let refundOfCoins = Sample.sale(
        "20003", of: "coins.100", .consumable, day: 31, account: account, signedDay: 39, revokedDay: 39)

    /// A pass that was never attached, of the same Apple account unless another is named.
    static func another(_ number: String, of account: String? = account) -> VerifiedPurchase {
        Sample.pass(number, day: 33, account: account)
    }

    /// The user has all of it, and spends, reserves and is given something.
    static func fill(_ store: TestStore, _ user: UserID) async throws {
        let verdicts = try await store.restore(sales, to: user)
        #expect(verdicts.count == sales.count)
        try await store.grant(.addDays(9, of: TierID("pro")), as: "30001", to: user)
        _ = try await store.spend(30, of: user, under: "order-1").get()
        _ = try await store.reserve(10, of: user, under: "order-2", as: "hold-1").get()
    }
}
