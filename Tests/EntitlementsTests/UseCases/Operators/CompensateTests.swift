import Entitlements
import Testing

/// What an outage is made up with (`semantics.md` §7), and a pass that ended before it was attached (§6).
@Suite struct CompensateTests {
    private static let now: Instant = "02-20"
    private static let outage = OperatorAct.Outage(from: "01-20", to: "01-21", hours: 48)

    private static func outage(
        from startsAt: Instant = "01-20", to endsAt: Instant = "01-21", hours: Int = 48, tier: TierID? = nil,
        any countsAnySource: Bool = false
    ) -> OperatorAct.Outage {
        .init(from: startsAt, to: endsAt, hours: hours, tier: tier, countsAnySource: countsAnySource)
    }

    private func decide(
        _ outage: OperatorAct.Outage, for world: World, at now: Instant = now, settings: EntitlementSettings = .everyone
    ) -> Decision<Grant, OperatorRefusal> {
        OperatorAct(on: .alice, note: .support).give(
            .outage(outage), as: ExternalID("outage-1"), given: world.history(at: now),
            in: FoldContext(catalogue: .example, settings: settings))
    }

    /// The tier that is given; nil for a user who is not affected.
    private func check(
        _ outage: OperatorAct.Outage = outage, for states: VerifiedPurchase..., gives tier: TierID?,
        settings: EntitlementSettings = .everyone, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        var world = World()
        for state in states { world.attach(state, to: .alice, at: state.purchasedAt) }
        let decision = decide(outage, for: world, settings: settings)
        guard let tier else {
            #expect(decision.answer == .failure(.notAffected), sourceLocation: sourceLocation)
            #expect(decision.drafts.isEmpty, sourceLocation: sourceLocation)
            return
        }
        let length = Int64(outage.hours) * Instant.millisecondsPerHour
        let grant = Grant(key: .grant("outage-1"), gift: .pass(tier: tier, length: length), grantedAt: Self.now)
        #expect(decision.answer == .success(grant), sourceLocation: sourceLocation)
        #expect(decision.drafts[.alice]?.first?.fact == .granted(grant), sourceLocation: sourceLocation)
    }

    @Test func `who had a pass at any instant of the outage gets its tier`() {
        check(for: .state(of: "p", at: "01-10"), gives: "pro")
        check(for: .state(of: "b", .basic30, at: "01-10"), gives: "basic")
        check(for: .state(of: "p", at: "01-20 23:59:59.999"), gives: "pro")
        check(for: .state(of: "p", at: "01-21"), gives: nil)
        check(for: .state(of: "p", at: "2025-12-21 00:00:00.001"), gives: "pro")
        check(for: .state(of: "p", at: "2025-12-21"), gives: nil)
        check(gives: nil)
    }

    @Test func `the highest tier of the outage is given or the one that is named`() {
        let both: [VerifiedPurchase] = [.state(of: "b", .basic30, at: "01-10"), .state(of: "x", at: "01-20 12:00")]
        check(for: both[0], both[1], gives: "pro")
        check(Self.outage(to: "01-20 12:00"), for: both[0], both[1], gives: "basic")
        check(Self.outage(tier: "basic"), for: both[1], gives: "basic")
        check(Self.outage(tier: "basic"), gives: nil)
        check(for: .state(of: "e", .eyes30, at: "01-10"), .state(of: "x", at: "01-10"), gives: "eyes")
    }

    @Test func `plans and windows count only when asked`() {
        let plan = VerifiedPurchase.state(of: "w", .proMonthly, .plan, at: "01-01", until: "01-20")
        check(for: plan, gives: nil)
        check(Self.outage(from: "01-19", any: true), for: plan, gives: "pro")
        check(Self.outage(any: true), for: plan, gives: "pro")
        check(Self.outage(from: "01-21", to: "01-22", any: true), for: plan, gives: nil)
    }

    @Test func `a refunded pass had nothing to lose`() {
        let bought = VerifiedPurchase.state(of: "p", at: "01-10")
        let refunded = bought.with(revocation: Revocation(revokedAt: "01-20", share: 100_000), signedAt: "01-25")
        check(for: bought, refunded, gives: nil)
    }

    @Test func `sandbox counts for whom it counts`() {
        let state = VerifiedPurchase.state(of: "p", environment: .sandbox, at: "01-10")
        check(for: state, gives: "pro")
        check(for: state, gives: nil, settings: .production)
    }

    @Test func `a repeat finds what was given and a dry run gives nothing`() throws {
        var world = World()
        world.attach(.state(of: "p", at: "01-10"), to: .alice, at: "01-10")
        let dry = decide(Self.outage, for: world).answer
        world.apply(decide(Self.outage, for: world), at: Self.now)
        #expect(world.segments(of: .alice) == ["p 01-10..02-09", "outage-1 02-20..02-22"])
        let again = decide(Self.outage, for: world, at: "02-21")
        #expect(again.drafts.isEmpty)
        #expect(try again.answer == dry && dry.get().grantedAt == Self.now)
        world.apply(
            OperatorAct(on: .alice, note: .support)
                .withdraw(.grant("outage-1"), given: world.history(at: "02-21"), in: .example), at: "02-21")
        #expect(decide(Self.outage, for: world, at: "02-22").drafts.isEmpty, "what was taken back is not given again")
    }

    @Test func `refusals come in their order`() {
        let refusal =
            { (outage: OperatorAct.Outage) in
                guard case .failure(let refusal) = self.decide(outage, for: World()).answer else { return nil }
                return refusal
            } as (OperatorAct.Outage) -> OperatorRefusal?
        #expect(refusal(Self.outage(from: "01-21", hours: 0, tier: "gone")) == .unknownTier)
        #expect(refusal(Self.outage(from: "01-21", hours: 0)) == .emptyOutage)
        #expect(refusal(Self.outage(from: Self.now, to: "03-01", hours: 0)) == .emptyOutage)
        #expect(refusal(Self.outage(hours: 0)) == .hoursOutOfRange)
        #expect(refusal(Self.outage(hours: 876_001)) == .hoursOutOfRange)
        #expect(refusal(Self.outage(hours: 1)) == .notAffected)
        #expect(refusal(Self.outage(hours: 876_000)) == .notAffected)
        #expect(refusal(Self.outage(from: "02-19", to: "03-01")) == .notAffected, "an outage may still go on")
    }

    @Test func `coverage that is only planned was not lost`() {
        check(
            Self.outage(from: "02-19", to: "03-01"), for: .state(of: "p", at: "02-20 00:00:00.001"), gives: nil)
    }

    private func makeGood(_ id: String, _ world: World, at now: Instant = "03-10") -> Decision<Grant, OperatorRefusal> {
        OperatorAct(on: .alice, note: .support).give(
            .latePass(.pass(id)), as: ExternalID("made_good:\(id)"), given: world.history(at: now), in: .example)
    }

    @Test func `a pass that had ended before it was attached is made good once`() {
        var world = World()
        world.attach(.state(of: "p", at: "01-01", quantity: 2), to: .alice, at: "03-03")
        let decision = makeGood("p", world)
        let gift = Grant.Gift.pass(tier: "pro", length: 60 * Instant.millisecondsPerDay)
        #expect((try? decision.answer.get().gift) == gift)
        world.apply(decision, at: "03-10")
        #expect(world.segments(of: .alice) == ["p 01-01..03-02", "made_good:p 03-10..05-09"])
        let again = makeGood("p", world, at: "03-11")
        #expect(again.answer == decision.answer && again.drafts.isEmpty)
    }

    @Test func `of a prorated pass, what was paid for is made good`() {
        var world = World()
        world.attach(.state(of: "p", at: "01-01"), to: .alice, at: "03-03")
        world.record(
            .state(of: "p", at: "01-01", revocation: Revocation(revokedAt: "03-05", share: 50000), signedAt: "03-05"),
            at: "03-05")
        #expect(
            (try? makeGood("p", world).answer.get().gift)
                == .pass(tier: "pro", length: 15 * Instant.millisecondsPerDay))
    }

    @Test func `only a pass that had ended is made good`() {
        var world = World()
        world.attach(.state(of: "used", at: "01-01"), to: .alice, at: "01-01")
        world.attach(.state(of: "a", .xyz, .addOn, at: "01-01"), to: .alice, at: "03-01")
        world.attach(.state(of: "gone", at: "2025-01-01"), to: .alice, at: "03-01")
        world.attach(
            .state(
                of: "refunded", at: "2025-01-01", revocation: Revocation(revokedAt: "2025-06-01", share: 100_000),
                signedAt: "2025-06-01"), to: .alice, at: "03-01")
        world.move("gone", from: .alice, to: "bob", at: "03-02")
        #expect(makeGood("none", world).answer == .failure(.unknownPurchase))
        #expect(makeGood("gone", world).answer == .failure(.unknownPurchase))
        for id in ["used", "a", "refunded"] {
            #expect(makeGood(id, world).answer == .failure(.notEndedBeforeAttached), "\(id)")
        }
    }
}
