import Entitlements
import Testing

/// The vectors of `semantics.md` §4, and what follows from them.
@Suite struct CreditVectorTests {
    /// A story, an instant, and what the purses say then.
    struct Vector: Sendable, CustomTestStringConvertible {
        let name: String
        let story: Story
        let at: Instant
        let balances: [String]
        var testDescription: String { name }

        init(_ name: String, _ story: Story, at: Instant, _ balances: String...) {
            self.name = name
            self.story = story
            self.at = at
            self.balances = balances
        }
    }

    private static let hundred = Story().credits("c", at: "01-01")
    private static let c1 = hundred.spends(70, at: "01-02").refunds("c", at: "01-03").refunds("c", at: "01-03")
    private static let c4 = Story().grants("promo", 50, until: "02-01", at: "01-01").credits("c", at: "01-01")
        .spends(60, at: "01-02")
    private static let c8 = hundred.reserves("r", 60, at: "01-02").refunds("c", at: "01-03")
    private static let c9 = Story().credits("c", .lenient100, at: "01-01").spends(70, at: "01-03")
    private static let c10 = c1.grants("promo", 50, until: "01-10", at: "01-04")

    private static func refunded(_ product: ProductID, quantity: Int, share: Int) -> Story {
        Story().credits("c", product, at: "01-01", quantity: quantity).refunds("c", at: "01-02", share: share)
    }

    static let vectors = [
        Vector("C1", c1, at: "01-04", "−70 = 100 credited − 100 refunded − 70 spent"),
        Vector("C2", c1.reverses("c", signedAt: "01-05"), at: "01-05", "30 = 100 credited − 70 spent"),
        Vector(
            "C3", c1.credits("d", at: "01-05"), at: "01-05", "30 = 200 credited − 100 refunded − 70 spent"),
        Vector("C4", c4, at: "01-02", "90 = 150 credited − 60 spent"),
        Vector(
            "C5", c4.refunds("c", at: "01-03", share: 50000), at: "01-03",
            "40 = 150 credited − 50 refunded − 60 spent"),
        Vector(
            "C6, 1 × 3", refunded(.credits1, quantity: 3, share: 66667), at: "01-02", "1 = 3 credited − 2 refunded"),
        Vector(
            "C6, 100 × 3", refunded(.credits100, quantity: 3, share: 66667), at: "01-02",
            "100 = 300 credited − 200 refunded"),
        Vector(
            "C6, 1 × 6", refunded(.credits1, quantity: 6, share: 16667), at: "01-02", "5 = 6 credited − 1 refunded"),
        Vector("C7, a third", c7, at: "01-02", "67 = 100 credited − 33 refunded"),
        Vector("C7, two thirds", c7, at: "01-03", "33 = 100 credited − 67 refunded"),
        Vector("C7, reversed", c7, at: "01-04", "100 = 100 credited"),
        Vector("C8", c8, at: "01-03", "−60 = 100 credited − 100 refunded − 60 reserved"),
        Vector(
            "C8, committed", c8.commits("r", at: "01-04"), at: "01-04", "−60 = 100 credited − 100 refunded − 60 spent"),
        Vector("C8, released", c8.releases("r", at: "01-04"), at: "01-04", "0 = 100 credited − 100 refunded"),
        Vector(
            "C9, refunded after the spend", c9.refunds("c", at: "01-04"), at: "01-04",
            "0 = 100 credited − 30 refunded − 70 spent, 70 written off"),
        Vector(
            "C9, refunded before the spend", c9.refunds("c", at: "01-02", signedAt: "01-04"), at: "01-04",
            "0 = 100 credited − 30 refunded − 70 spent, 70 written off"),
        Vector(
            "C9, reversed", c9.refunds("c", at: "01-02", signedAt: "01-04").reverses("c", signedAt: "01-05"),
            at: "01-05", "30 = 100 credited − 70 spent"),
        Vector("C10", c10, at: "01-04", "−20 = 150 credited − 100 refunded − 70 spent"),
        Vector("C10 on day 11", c10, at: "01-11", "−20 = 150 credited − 100 refunded − 70 spent"),
        Vector(
            "C10, reversed on day 12", c10.reverses("c", signedAt: "01-12"), at: "01-12", "80 = 150 credited − 70 spent"
        ),
    ]

    private static let c7 = hundred.refunds("c", at: "01-02", share: 33333).refunds("c", at: "01-03", share: 66667)
        .reverses("c", signedAt: "01-04")

    /// What the vectors imply and do not say.
    static let corollaries = [
        Vector("before the refund nothing is changed", c1, at: "01-02 12:00", "30 = 100 credited − 70 spent"),
        Vector(
            "a promotional lot expires exactly at its end", c4, at: "02-01", "90 = 150 credited − 60 spent"),
        Vector(
            "what is not drawn of it expires", hundred.grants("promo", 50, until: "01-10", at: "01-01"), at: "01-10",
            "100 = 150 credited − 50 expired"),
        Vector(
            "and not a millisecond before", hundred.grants("promo", 50, until: "01-10", at: "01-01"),
            at: "01-09 23:59:59.999", "150 = 150 credited"),
        Vector(
            "a reversal before the expiry leaves the lot as it was: it expires",
            c10.reverses("c", signedAt: "01-06"), at: "01-10", "30 = 150 credited − 50 expired − 70 spent"),
        Vector(
            "only what repaid outlives its lot", c10.grants("more", 50, until: "01-10", at: "01-05"), at: "01-10",
            "0 = 200 credited − 100 refunded − 30 expired − 70 spent"),
        Vector(
            "what outlived it can be spent once it is let go",
            c10.reverses("c", signedAt: "01-12").spends(80, at: "01-13"), at: "01-13",
            "0 = 150 credited − 150 spent"),
        Vector(
            "what was spent of it is not owed when it turns out that it had not outlived",
            c10.reverses("c", signedAt: "01-12").spends(80, at: "01-13")
                .reverses("c", signedAt: "01-06", recordedAt: "01-14"), at: "01-14",
            "0 = 150 credited − 150 spent"),
        Vector(
            "a later purchase repays what a promotional lot did not",
            c10.credits("d", at: "01-05"), at: "01-11", "80 = 250 credited − 100 refunded − 70 spent"),
        Vector(
            "what was reserved and is released after the expiry expires then",
            Story().grants("promo", 50, until: "01-10", at: "01-01").reserves("r", 30, at: "01-02")
                .releases("r", at: "01-12"), at: "01-12", "0 = 50 credited − 50 expired"),
        Vector(
            "and what is committed of it is spent",
            Story().grants("promo", 50, until: "01-10", at: "01-01").reserves("r", 30, at: "01-02")
                .commits("r", 10, at: "01-12"), at: "01-12", "0 = 50 credited − 40 expired − 10 spent"),
        Vector(
            "a withdrawn grant takes what is left and leaves the rest as debt",
            Story().grants("promo", 50, until: "01-10", at: "01-01").spends(20, at: "01-02")
                .takesBack("promo", at: "01-03"), at: "01-11", "−20 = 50 credited − 50 refunded − 20 spent"),
        Vector(
            "a grant that had expired when it was given gives nothing",
            Story().grants("promo", 50, until: "01-01", at: "01-02"), at: "01-03"),
        Vector(
            "a reservation ends at its deadline", hundred.reserves("r", 60, seconds: 86_400, at: "01-02"), at: "01-03",
            "100 = 100 credited"),
        Vector(
            "and not a millisecond before", hundred.reserves("r", 60, seconds: 86_400, at: "01-02"),
            at: "01-02 23:59:59.999", "40 = 100 credited − 60 reserved"),
        Vector(
            "a smaller commitment frees the rest", hundred.reserves("r", 60, at: "01-02").commits("r", 25, at: "01-03"),
            at: "01-03", "75 = 100 credited − 25 spent"),
        Vector(
            "what is written off while it is reserved is taken once it is free",
            Story().credits("c", .lenient100, at: "01-01").reserves("r", 60, at: "01-02").refunds("c", at: "01-03")
                .releases("r", at: "01-04"), at: "01-04", "0 = 100 credited − 100 refunded"),
        Vector(
            "other free lots stand in before there is debt",
            hundred.credits("d", at: "01-01").spends(70, at: "01-02").refunds("c", at: "01-03"), at: "01-03",
            "30 = 200 credited − 100 refunded − 70 spent"),
        Vector(
            "sandbox credits have a purse of their own",
            hundred.credits("s", at: "01-01", environment: .sandbox).spends(30, at: "01-02")
                .spends(50, from: .sandbox, at: "01-02"), at: "01-02",
            "70 = 100 credited − 30 spent", "50 = 100 credited − 50 spent"),
        Vector(
            "what was spent of a purchase that turned out to be quarantined is owed",
            hundred.spends(30, at: "01-02").attaches(.state(of: "c", .credits1, .consumable, at: "01-01"), at: "01-03"),
            at: "01-03", "−30 = 0 credited − 30 spent"),
    ]

    @Test(arguments: vectors + corollaries) func `the balance is that of the vector`(_ vector: Vector) {
        #expect(vector.story.balances(at: vector.at) == vector.balances)
        let balances = vector.story.timeline(in: Story.catalogue).creditBalances(at: vector.at)
        #expect(balances.allSatisfy { $0.isSound })
    }

    /// A user's acts happen in the order they happened; evidence comes in any.
    @Test(arguments: vectors + corollaries) func `evidence may arrive in any order`(_ vector: Vector) {
        for seed in UInt64(0)..<5 {
            var random = SplitMix64(seed: seed)
            var story = vector.story
            story.ledger = story.ledger.shuffled(using: &random)
            #expect(story.balances(at: vector.at) == vector.balances)
        }
    }

    @Test func `a spend draws what expires soonest, then the oldest`() throws {
        let story = Story().credits("new", at: "01-03").credits("old", at: "01-02").credits("b", at: "01-01")
            .credits("a", at: "01-01").grants("late", 10, until: "03-01", at: "01-01")
            .grants("soon", 10, until: "02-01", at: "01-04").grants("never", 10, until: nil, at: "01-01")
        let receipt = try story.asking(toSpend: 410, "key", at: "01-05").answer.get()
        #expect(
            receipt.draws.map(\.text) == ["soon 10", "late 10", "a 100", "b 100", "never 10", "old 100", "new 80"])
        #expect(receipt.spent == 410 && receipt.spendable == 20 && receipt.debt == 0)
        #expect(story.spends(410, at: "01-05").lots(at: "01-05") == ["new 20"])
    }

    @Test func `the lots say what was drawn of each`() {
        let lots = Self.c4.timeline(in: Story.catalogue).lotBalances(at: "01-02")
        #expect(lots.map(\.key.externalID.text) == ["promo", "c"])
        #expect(lots.map(\.spent) == [50, 10] && lots.map(\.spendable) == [0, 90])
        #expect(lots.map(\.expiresAt) == ["02-01", nil] && lots.map(\.purse) == [.credit, .credit])
    }

    @Test func `units that repay are not drawn`() throws {
        let story = Self.hundred.credits("d", at: "01-01").credits("e", at: "01-01").spends(70, at: "01-02")
            .refunds("c", at: "01-03")
        #expect(story.lots(at: "01-03") == ["d 30", "e 100"])
        #expect(try story.asking(toSpend: 50, "key", at: "01-03").answer.get().draws.map(\.text) == ["d 30", "e 20"])
        let timeline = story.timeline(in: Story.catalogue)
        let touched = timeline.lotBalances(at: "01-03").filter { timeline.isTouched($0.key, at: "01-03") }
        #expect(touched.map(\.key.externalID.text) == ["c", "d"])
        #expect(touched.map { timeline.undrawnUnits(of: $0.key, at: "01-03") } == [0, 30])
        #expect(touched.map(\.repaid) == [0, 70])
        let one = Self.hundred.credits("d", at: "01-01").spends(100, at: "01-02")
            .refunds("c", at: "01-03", share: 1_000)
        let repaying = one.timeline(in: Story.catalogue)
        #expect(one.lots(at: "01-03") == ["d 99"], "one unit repays")
        #expect(repaying.lotBalances(at: "01-03").allSatisfy { repaying.isTouched($0.key, at: "01-03") })
    }

    @Test func `a reversal lets go first what repaid last`() {
        let story = Self.c1.credits("d", at: "01-04", quantity: 1).refunds("c", at: "01-05", share: 90000)
        #expect(story.lots(at: "01-05") == ["d 40"], "60 of 70 are still needed")
        let promo = Self.c10.credits("d", at: "01-05").refunds("c", at: "01-06", share: 60000)
        #expect(promo.lots(at: "01-06") == ["promo 20", "d 100"], "the purchase repaid after the promotion")
        #expect(promo.balances(at: "01-10") == ["100 = 250 credited − 60 refunded − 20 expired − 70 spent"])
    }

    /// At the expiry 70 of the 80 units repay what is owed of `c`; the reversal lets them go.
    @Test(arguments: ["01-10", "01-13"] as [Instant])
    func `units that outlived their lot are free again when their reservation ends, and no others`(at instant: Instant)
    {
        let outlived = Self.c1.grants("promo", 80, until: "01-10", at: "01-04").reverses("c", signedAt: "01-10")
        #expect(outlived.balances(at: instant) == ["100 = 180 credited − 10 expired − 70 spent"])
        let held = outlived.reserves("r", 40, at: instant)
        for (story, balance) in [
            (outlived.spends(40, at: instant), "60 = 180 credited − 10 expired − 110 spent"),
            (held, "60 = 180 credited − 10 expired − 70 spent − 40 reserved"),
            (held.releases("r", at: "01-14"), "100 = 180 credited − 10 expired − 70 spent"),
            (held.commits("r", 25, at: "01-14"), "75 = 180 credited − 10 expired − 95 spent"),
        ] {
            #expect(story.balances(at: "01-14") == [balance])
        }
    }

    @Test func `an expired lot is finished and gave until its end`() {
        let status = Story().grants("promo", 50, until: "01-10", at: "01-01").status(at: "01-10")
        #expect(status.entitlements.map(\.state) == [.finished])
        #expect(status.explanation.map(\.gives) == [[Interval(startsAt: "01-01", endsAt: "01-10")]])
    }

    @Test func `sandbox credits are not shown to whom sandbox does not count`() {
        let story = Self.hundred.credits("s", at: "01-01", environment: .sandbox).spends(
            50, from: .sandbox, at: "01-02")
        #expect(story.balances(at: "01-02", settings: .production) == ["100 = 100 credited"])
        #expect(story.balances(at: "01-02") == ["100 = 100 credited", "50 = 100 credited − 50 spent"])
    }

    @Test func `what is known of a day is not changed by what is learned later`() {
        #expect(Self.c1.balances(at: "01-05", knownAt: "01-02") == ["30 = 100 credited − 70 spent"])
        #expect(Self.c1.balances(at: "01-05", knownAt: "01-01") == [], "evidence that nobody has claimed yet")
    }
}

extension UserLedger {
    /// The same facts with evidence at random places and the user's acts in their order; nothing else of a fact depends
    /// on when it was recorded.
    func shuffled(using random: inout SplitMix64) -> UserLedger {
        let isEvidence = { (entry: LedgerEntry) in entry.fact.state != nil }
        var others = entries.filter { !isEvidence($0) }
        for entry in entries.filter(isEvidence) {
            others.insert(entry, at: Int.random(in: 0...others.count, using: &random))
        }
        var ledger = UserLedger(user: user)
        for entry in others {
            ledger.append([LedgerEntry.Draft(entry.fact, at: entry.effectiveAt, kept: entry.note)], at: "2027-01-01")
        }
        return ledger
    }
}
