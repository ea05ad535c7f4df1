import Crypto
import Entitlements
import MariaDB
import Support
import Testing

@testable import EntitlementAPI
@testable import LedgerStore

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

    /// Passes, an add-on, credits, a plan and a product that nobody sells.
    private static func bought() throws -> Timeline {
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
        return Timeline(folding: ledger, given: Fixture.catalogue, settings: Fixture.settings)
    }

    /// Timelines of plans with refunds, grace, billing retry and offers, each with 40 instants.
    private static func plans() throws -> [(timeline: Timeline, instants: [Instant])] {
        try (0..<20 as Range<UInt64>).map { seed in
            var random = SeededChance("golden", seed: seed)
            let ledger = try StandingWalkTests.ledger(using: &random)
            let timeline = Timeline(folding: ledger, given: Fixture.catalogue, settings: Fixture.settings)
            return (timeline, (0..<40).map { Fixture.now + ($0 * 7 - 80) * StandingWalkTests.hour })
        }
    }

    @Test func `the bytes of an answer change only with the number of its form`() throws {
        let timeline = try Self.bought()
        let answer = StatusBody.answer(timeline.status(at: Fixture.now))
        let digest = Self.digest(answer.substance)
        #expect(
            "form \(StatusBody.formNumber): \(digest)" == "form 4: 65735262cd17b7",
            "\(String(decoding: answer.substance, as: UTF8.self))")
    }

    @Test func `a rule by which a plan gets another answer takes the next number too`() throws {
        var answers: [UInt8] = []
        for (timeline, instants) in try Self.plans() {
            for instant in instants { answers += StatusBody.answer(timeline.status(at: instant)).substance }
        }
        #expect("form \(StatusBody.formNumber): \(Self.digest(answers))" == "form 4: 986090382fa89227")
    }

    @Test func `what lists show of the same facts changes only with the number too`() throws {
        var lists: [[Value]] = []
        for (timeline, instants) in try Self.plans() + [(Self.bought(), [Fixture.now])] {
            for instant in instants {
                let row = StandingRow(
                    pseudonym: 7, length: 1, basis: StandingBasis(number: 1, settings: ""),
                    standing: Standing(status: timeline.status(at: instant), holdsUntil: .distantFuture),
                    answer: StandingAnswer(substance: [], entityTag: ""))
                lists.append(row.listed)
            }
        }
        let digest = Self.digest(Array("\(lists)".utf8))
        #expect("form \(StatusBody.formNumber): \(digest)" == "form 4: 2ae298dff6b18fc", "\(lists.suffix(1))")
    }

    private static func digest(_ bytes: [UInt8]) -> String {
        SHA256.hash(data: bytes).prefix(8).map { String($0, radix: 16) }.joined()
    }
}
