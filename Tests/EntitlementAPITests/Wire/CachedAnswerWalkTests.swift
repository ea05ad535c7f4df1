import Entitlements
import LedgerStore
import Support
import Testing

@testable import EntitlementAPI

/// Cached answers about plans, held against answers that are written anew (`semantics.md` §7).
struct CachedAnswerWalkTests {
    private static let hour = Instant.millisecondsPerHour
    private static let key = PurchaseKey(
        source: .appleIAP, app: Fixture.app, environment: .production, externalID: ExternalID("w"))

    /// Periods of a chain, some of them refunded, and states of its renewal, from days before the fixture's instant.
    private static func ledger(using random: inout some RandomNumberGenerator) throws -> UserLedger {
        var ledger = UserLedger(user: try Fixture.user())
        ledger.append([.init(.bound(key), at: Fixture.now)], at: Fixture.now)
        var startsAt = Fixture.now + -hour * Int64.random(in: 0...72, using: &random)
        for number in 1...Int.random(in: 1...3, using: &random) {
            let endsAt = startsAt + hour * Int64.random(in: 12...72, using: &random)
            let refundedAt = startsAt + hour * Int64.random(in: 1...96, using: &random)
            let isRefunded = Int.random(in: 0..<5, using: &random) == 0
            for revocation in [nil, isRefunded ? Revocation(revokedAt: refundedAt, share: 100_000) : nil] {
                let state = VerifiedPurchase(
                    key: key, transactionID: TransactionID("t\(number)"), periodID: "\(number)",
                    productID: ProductID("annual3"), type: .plan, purchasedAt: startsAt, expiresAt: endsAt,
                    isUpgraded: Int.random(in: 0..<6, using: &random) == 0,
                    offer: Bool.random(using: &random) ? "introductory" : nil,
                    price: Price(milliunits: 0, currency: "EUR"), revocation: revocation,
                    signedAt: revocation == nil ? startsAt : refundedAt)
                ledger.append([.init(.stated(.purchase(state)), at: startsAt)], at: Fixture.now)
            }
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                let ends: [RenewalEnd?] = [nil, nil, .cancelled, .billing]
                let renewal = VerifiedRenewal(
                    key: key, signedAt: startsAt + hour * Int64.random(in: 0...96, using: &random),
                    willRenew: Bool.random(using: &random),
                    graceEndsAt: Bool.random(using: &random)
                        ? endsAt + hour * Int64.random(in: -5...40, using: &random) : nil,
                    isInRetry: Bool.random(using: &random), end: ends.randomElement(using: &random) ?? nil,
                    priceConsent: Bool.random(using: &random) ? .pending : nil)
                ledger.append([.init(.stated(.renewal(renewal)), at: startsAt)], at: Fixture.now)
            }
            startsAt = endsAt + hour * Int64.random(in: -6...30, using: &random)
        }
        return ledger
    }

    @Test func `a cached answer is the one that would be written`() async throws {
        for seed in 0..<40 as Range<UInt64> {
            var random = SeededChance("plans", seed: seed)
            let ledger = try Self.ledger(using: &random)
            let timeline = Timeline(folding: ledger, given: Fixture.catalogue, settings: Fixture.settings)
            let (answers, head) = (StatusAnswers(), LedgerHead(pseudonym: 1, hash: [1]))
            var (written, turns) = (0, 0)
            var at = Fixture.now + -80 * Self.hour
            for _ in 0..<400 {
                let answer = await answers.answer(
                    about: ledger.user, at: at, given: { Fixture.catalogue },
                    reading: { (known) async throws(Never) in known == head ? nil : (ledger, head) },
                    inTurn: { (fold) async throws(Never) in
                        turns += 1
                        return fold()
                    },
                    fold: { _, _, instant in
                        written += 1
                        return API.Dependencies.Folded(
                            status: timeline.status(at: instant), holdsUntil: timeline.nextChange(after: instant))
                    })
                let fresh = StatusBody(timeline.status(at: at), StatusBody.Parts())
                #expect(answer.substance == Array(fresh.substance), "seed \(seed), \(at.milliseconds)")
                guard answer.entityTag == fresh.entityTag else { return }
                let steps = [1, 1, Self.hour / 2, Self.hour, Self.hour + -1]
                at = at + (steps.randomElement(using: &random) ?? 1)
            }
            #expect(written < 60, "most answers come from the cache")
            #expect(turns == written, "an answer from the cache waits for nobody")
        }
    }

    @Test func `the check says the same between two changes`() throws {
        for seed in 0..<40 as Range<UInt64> {
            var random = SeededChance("plans", seed: seed)
            let ledger = try Self.ledger(using: &random)
            let timeline = Timeline(folding: ledger, given: Fixture.catalogue, settings: Fixture.settings)
            func check(_ instant: Instant) -> [UInt8] {
                SubscriptionCheckBody(timeline.status(at: instant)).bytes
            }
            var at = Fixture.now + -80 * Self.hour
            while at < Fixture.now + 400 * Self.hour {
                let next = min(timeline.nextChange(after: at), Fixture.now + 400 * Self.hour)
                let told = check(at)
                for instant in [at + 1, at + (next - at) / 2, next + -1] where instant < next {
                    #expect(check(instant) == told, "seed \(seed), \(instant.milliseconds)")
                }
                at = next
            }
        }
    }
}
