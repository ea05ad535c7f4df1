import Crypto
import Entitlements
import LedgerStore
import Support
import Testing

@testable import EntitlementAPI

/// The form of stored answers. A server never sends an answer that an earlier form of it stored, so whatever changes
/// the bytes of an answer takes the next number.
struct StandingFormatTests {
    private static func key(_ id: String) -> PurchaseKey {
        PurchaseKey(source: .appleIAP, app: Fixture.app, environment: .production, externalID: ExternalID(id))
    }

    private static func bought(_ id: String, of product: String, _ type: StatedType) -> VerifiedPurchase {
        VerifiedPurchase(
            key: key(id), transactionID: TransactionID(id), periodID: id, productID: ProductID(product), type: type,
            purchasedAt: Fixture.now + -1_000,
            expiresAt: type == .plan ? Fixture.now + 30 * Instant.millisecondsPerDay : nil, offer: "introductory",
            price: Price(milliunits: 4_990, currency: "EUR"), signedAt: Fixture.now + -1_000)
    }

    @Test func `the bytes of an answer change only with the number of its form`() throws {
        var ledger = UserLedger(user: try Fixture.user())
        for (id, product, type) in [
            ("1", "pass.30d", .pass), ("2", "pass.30d", .pass), ("3", "addon", .addOn), ("4", "credits", .consumable),
            ("5", "annual3", .plan), ("6", "unknown", .pass),
        ] as [(String, String, StatedType)] {
            let state = Self.bought(id, of: product, type)
            ledger.append(
                [.init(.stated(.purchase(state)), at: state.signedAt), .init(.bound(state.key), at: state.signedAt)],
                at: Fixture.now + -1_000)
        }
        let timeline = Timeline(folding: ledger, given: Fixture.catalogue, settings: Fixture.settings)
        let answer = StatusBody.answer(timeline.status(at: Fixture.now))
        let digest = Self.digest(answer.substance)
        #expect(
            "form \(StatusBody.formNumber): \(digest)" == "form 1: 3beacf1efd560",
            "\(String(decoding: answer.substance, as: UTF8.self))")
    }

    /// Plans with refunds, grace, billing retry and offers, each at 40 instants.
    @Test func `a rule by which a plan gets another answer takes the next number too`() throws {
        var answers: [UInt8] = []
        for seed in 0..<20 as Range<UInt64> {
            var random = SeededChance("golden", seed: seed)
            let ledger = try StandingWalkTests.ledger(using: &random)
            let timeline = Timeline(folding: ledger, given: Fixture.catalogue, settings: Fixture.settings)
            for step in 0..<40 as Range<Int64> {
                let instant = Fixture.now + (step * 7 - 80) * StandingWalkTests.hour
                answers += StatusBody.answer(timeline.status(at: instant)).substance
            }
        }
        #expect("form \(StatusBody.formNumber): \(Self.digest(answers))" == "form 1: e68671d82c2fc4ab")
    }

    private static func digest(_ bytes: [UInt8]) -> String {
        SHA256.hash(data: bytes).prefix(8).map { String($0, radix: 16) }.joined()
    }
}
