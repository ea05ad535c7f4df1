import Entitlements
import Testing

/// What the App Store is told when it asks how much of a purchase was used (`semantics.md` §5).
@Suite struct ConsumptionTests {
    /// A story of one user, a purchase, an instant, and what is said of it then.
    struct Vector: Sendable, CustomTestStringConvertible {
        let name: String
        let story: Story
        let purchase: String
        let at: Instant
        let said: String
        var testDescription: String { name }

        init(_ name: String, _ story: Story, _ purchase: String, at: Instant, _ said: String) {
            self.name = name
            self.story = story
            self.purchase = purchase
            self.at = at
            self.said = said
        }
    }

    private static let lot = Story().credits("c", at: "01-01")
    private static let pass = Story().buys("p", at: "01-01")
    private static let two = Story().buys("p1", at: "01-01").buys("p2", at: "01-10")
    private static let paused = Story().buys("b", .basic30, at: "01-01").buys("x", at: "01-10")
    private static let month = Story().attaches(
        .state(of: "w", .proMonthly, .plan, period: "1", at: "01-01", until: "02-01"), at: "01-01")

    static let vectors = [
        Vector("K1", lot.spends(70, at: "01-02"), "c", at: "01-03", "delivered, 70000"),
        Vector("K1 before the spend", lot.spends(70, at: "01-02"), "c", at: "01-01", "delivered, 0"),
        Vector("K2", lot.reserves("r", 60, at: "01-02"), "c", at: "01-03", "delivered, 0"),
        Vector("K3", pass, "p", at: "01-16", "delivered, 50000"),
        Vector("K3 at its start", pass, "p", at: "01-01", "delivered, 0"),
        Vector("K3 at its end", pass, "p", at: "01-31", "delivered, 100000"),
        Vector("K3 long after", pass, "p", at: "05-01", "delivered, 100000"),
        Vector("K4", two, "p2", at: "01-20", "delivered, 0"),
        Vector("K4 once it runs", two, "p2", at: "02-03", "delivered, 10000"),
        Vector("K5", paused, "b", at: "01-20", "delivered, 30000"),
        Vector("K5 resumed", paused, "b", at: "02-12", "delivered, 40000"),
        Vector("K6", pass.refunds("p", at: "01-07", share: 50000), "p", at: "01-10", "delivered, 60000"),
        Vector("K7", pass.withdraws("p", at: "01-16"), "p", at: "02-20", "delivered, 50000"),
        Vector("K7 before it ran", two.withdraws("p2", at: "01-20"), "p2", at: "02-20", "undelivered, 0"),
        Vector("K8", Story().buys("a", .xyz, at: "01-01", type: .addOn), "a", at: "01-02", "delivered"),
        Vector("K8 plan", month, "w", at: "01-16", "delivered"),
        Vector("K9 unknown", Story().buys("u", "nobody.sells.it", at: "01-01"), "u", at: "01-16", "undelivered, 0"),
        Vector(
            "K9 another kind", Story().buys("t", .credits100, at: "01-01"), "t", at: "01-16", "undelivered, 0"),
        Vector(
            "K9 ended before", Story().buys("l", at: "01-01", attachedAt: "02-10"), "l", at: "02-11", "undelivered, 0"),
        Vector("K9 gone", pass.givesAway("p", at: "01-16", ran: 0), "p", at: "01-20", "undelivered, 0"),
    ]

    private static func said(_ timeline: Timeline, _ id: String, at instant: Instant) -> String {
        let key = VerifiedPurchase.state(of: id, at: instant).key
        let (isDelivered, share) = timeline.consumption(of: key, at: instant)
        return (isDelivered ? "delivered" : "undelivered") + (share.map { ", \($0)" } ?? "")
    }

    @Test(arguments: vectors) func `the share that was used is a function of facts and an instant`(vector: Vector) {
        let said = Self.said(vector.story.timeline(in: Story.catalogue), vector.purchase, at: vector.at)
        #expect(said == vector.said)
    }

    @Test func `what an earlier owner used counts, and only the present owner is asked about`() {
        var world = World()
        let (lot, pass) = (
            VerifiedPurchase.state(of: "c", .credits100, .consumable, at: "01-01"),
            VerifiedPurchase.state(of: "p", at: "01-01")
        )
        for state in [lot, pass] { world.attach(state, to: "alice", at: "01-01") }
        world.spend(30, of: "alice", at: "01-02")
        for id in ["c", "p"] { world.move(id, from: "alice", to: "bob", at: "01-11") }
        world.spend(20, of: "bob", at: "01-12")
        let bob = world.timeline(of: "bob")
        #expect(Self.said(bob, "c", at: "01-16") == "delivered, 50000")
        #expect(Self.said(bob, "p", at: "01-16") == "delivered, 50000", "ten days with alice, five with bob")
        #expect(Self.said(world.timeline(of: "alice"), "p", at: "01-16") == "undelivered, 0")
    }

    @Test func `seventy of a hundred spent, and a refund of the rest leaves no debt`() {
        let story = Self.lot.spends(70, at: "01-02").refunds("c", at: "01-04", share: 30_000)
        #expect(story.balances(at: "01-04") == ["0 = 100 credited − 30 refunded − 70 spent"])
    }

    // MARK: Whether anything is told

    private static func question(
        _ id: String, transaction: String? = nil, in environment: StoreEnvironment = .production, at askedAt: Instant
    ) -> ConsumptionQuestion {
        let state = VerifiedPurchase.state(of: id, environment: environment, at: askedAt)
        return ConsumptionQuestion(about: TransactionID(transaction ?? id), of: state.key, askedAt: askedAt)
    }

    private static func answer(
        to question: ConsumptionQuestion, _ story: Story, under policy: ConsumptionPolicy = ConsumptionPolicy(),
        at now: Instant
    ) -> Result<ConsumptionAnswer, ConsumptionSilence> {
        question.answer(
            given: story.ledger, in: FoldContext(catalogue: Story.catalogue, settings: .everyone), under: policy,
            at: now)
    }

    @Test func `the last act of consent decides, and without one nothing is told`() {
        let question = Self.question("p", at: "01-16")
        let given = Self.pass.told(.consumptionConsent(true), at: "01-02")
        #expect(Self.answer(to: question, Self.pass, at: "01-16") == .failure(.noConsent))
        #expect(
            Self.answer(to: question, given, at: "01-16")
                == .success(
                    ConsumptionAnswer(isDelivered: true, share: 50_000, preference: .none, providesSamples: false)))
        let taken = given.told(.consumptionConsent(false), at: "01-03")
        #expect(Self.answer(to: question, taken, at: "01-16") == .failure(.noConsent))
        #expect(Self.answer(to: question, taken, at: "01-20") == .failure(.noConsent), "consent comes before lateness")
    }

    @Test func `an answer is late twelve hours after the question, in the Sandbox five minutes`() throws {
        let story = Self.pass.told(.consumptionConsent(true), at: "01-02")
        let question = Self.question("p", at: "01-16")
        #expect(throws: Never.self) { try Self.answer(to: question, story, at: "01-16 11:59:59.999").get() }
        #expect(Self.answer(to: question, story, at: "01-16 12:00") == .failure(.late))
        let tested = Story().buys("s", at: "01-01", environment: .sandbox).told(.consumptionConsent(true), at: "01-02")
        let quick = Self.question("s", in: .sandbox, at: "01-16")
        #expect(try Self.answer(to: quick, tested, at: "01-16 00:04:59.999").get().share != nil)
        #expect(Self.answer(to: quick, tested, at: "01-16 00:05") == .failure(.late))
    }

    @Test func `nothing is told about what is refunded whole, whichever period of a plan it was`() throws {
        let consents = Fact.consumptionConsent(true)
        let question = Self.question("p", at: "01-16")
        let part = Self.pass.told(consents, at: "01-02").refunds("p", at: "01-10", share: 20_000)
        #expect(throws: Never.self) { try Self.answer(to: question, part, at: "01-16").get() }
        #expect(Self.answer(to: question, part.refunds("p", at: "01-12"), at: "01-16") == .failure(.refunded))
        let reversed = part.refunds("p", at: "01-12").reverses("p", signedAt: "01-14")
        #expect(throws: Never.self) { try Self.answer(to: question, reversed, at: "01-16").get() }
        let withdrawn = Self.pass.told(consents, at: "01-02").withdraws("p", at: "01-12")
        #expect(throws: Never.self, "an operator's act is no refund") {
            try Self.answer(to: question, withdrawn, at: "01-16").get()
        }
        let plan = Self.month.told(consents, at: "01-02").attaches(
            .state(
                of: "w", .proMonthly, .plan, transaction: "w2", period: "2", at: "02-01", until: "03-01",
                revocation: Revocation(revokedAt: "02-02", share: nil), signedAt: "02-02"), at: "02-02")
        let (first, second) = (
            Self.question("w", at: "02-03"), Self.question("w", transaction: "w2", at: "02-03")
        )
        #expect(try Self.answer(to: first, plan, at: "02-03").get().share == nil)
        #expect(Self.answer(to: second, plan, at: "02-03") == .failure(.refunded))
    }

    @Test func `a prorated refund is asked for only where a part was used`() throws {
        func asked(_ story: Story, _ id: String, at now: Instant, _ preference: RefundPreference) throws -> String {
            let consenting = story.told(.consumptionConsent(true), at: "01-02")
            let policy = ConsumptionPolicy(preference: preference, providesSamples: true)
            let answer = try Self.answer(to: Self.question(id, at: now), consenting, under: policy, at: now).get()
            #expect(answer.providesSamples)
            return answer.preference.rawValue
        }
        for preference in RefundPreference.allCases {
            #expect(try asked(Self.pass, "p", at: "01-16", preference) == preference.rawValue)
            let whole = preference == .grantProrated ? "none" : preference.rawValue
            #expect(try asked(Self.two, "p2", at: "01-20", preference) == whole, "queued")
            #expect(try asked(Self.pass, "p", at: "02-10", preference) == whole, "finished")
            #expect(try asked(Self.month, "w", at: "01-16", preference) == whole, "a plan has no share")
        }
    }

    @Test func `nothing is told about an erased person, whatever they allowed`() {
        let entries = Self.pass.told(.consumptionConsent(true), at: "01-02").ledger.entries
        let ledger = UserLedger(user: .erased(pseudonym: 7), entries: entries)
        let context = FoldContext(catalogue: Story.catalogue, settings: .everyone)
        let answer = Self.question("p", at: "01-16").answer(
            given: ledger, in: context, under: ConsumptionPolicy(), at: "01-16")
        #expect(answer == .failure(.erased))
    }
}
