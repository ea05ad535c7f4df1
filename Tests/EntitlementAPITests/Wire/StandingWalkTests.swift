import Entitlements
import LedgerStore
import Support
import Testing

@testable import EntitlementAPI

/// Stored answers about plans, held against answers that are written anew (`semantics.md` §7).
struct StandingWalkTests {
    static let hour = Instant.millisecondsPerHour
    private static let key = PurchaseKey(
        source: .appleIAP, app: Fixture.app, environment: .production, externalID: ExternalID("w"))

    /// Periods of a chain, some of them refunded, and states of its renewal, from days before the fixture's instant.
    static func ledger(using random: inout some RandomNumberGenerator) throws -> UserLedger {
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

    /// The walks end in the real store: each answer comes from the stored row, or is made and stored.
    @Test func `a stored answer is the one that would be written, on both sides of each change`() async throws {
        for seed in 0..<12 as Range<UInt64> {
            var random = SeededChance("standings", seed: seed)
            let ledger = try Self.ledger(using: &random)
            let clock = TestClock(at: Fixture.now)
            try await OpenStore.running(
                catalogue: Fixture.catalogue,
                settings: LedgerSettings(entitlements: Fixture.settings, labels: Fixture.labels),
                format: StatusBody.format, clock: clock
            ) { opened in
                let (store, user) = (opened.store, ledger.user)
                for case .stated(let statement) in ledger.entries.map(\.fact) {
                    switch statement {
                    case .purchase(let state): try await opened.sell(state, to: user)
                    case .renewal(let renewal): try await opened.tell(renewal)
                    }
                }
                let (recorded, head) = try await store.reader.read(user)
                let timeline = Timeline(folding: recorded, given: Fixture.catalogue, settings: Fixture.settings)
                var (at, sent) = (Fixture.now, 0)
                let end = Fixture.now + 400 * Self.hour
                while at < end {
                    let next = timeline.nextChange(after: at)
                    for instant in [at, at + 1, at + Self.hour / 2, next + -1] where instant < min(next, end) {
                        clock.now = max(clock.now, instant)
                        let fresh = StatusBody.answer(timeline.status(at: instant))
                        if let stored = try await store.standings.answer(about: user, at: instant) {
                            sent += 1
                            #expect(stored == fresh, "seed \(seed), \(instant.milliseconds)")
                        } else {
                            #expect(instant == at || sent == 0, "seed \(seed), \(instant.milliseconds): none holds")
                            let standing = Standing(of: recorded, in: timeline, at: instant)
                            store.standings.keep(
                                standing, fresh, of: try #require(head), given: Fixture.catalogue)
                            while try await store.standings.answer(about: user, at: instant) == nil {
                                try await Task.sleep(for: .milliseconds(2))
                            }
                        }
                    }
                    at = next
                }
                #expect(sent > 0)
            }
        }
    }

    @Test func `the check says the same between two changes`() throws {
        for seed in 0..<40 as Range<UInt64> {
            var random = SeededChance("plans", seed: seed)
            let ledger = try Self.ledger(using: &random)
            let timeline = Timeline(folding: ledger, given: Fixture.catalogue, settings: Fixture.settings)
            func check(_ instant: Instant) -> [UInt8] {
                SubscriptionCheckBody(timeline.status(at: instant), cardPage: nil).bytes
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
