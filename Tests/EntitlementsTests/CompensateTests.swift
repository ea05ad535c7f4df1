import Entitlements
import Testing

/// What an outage is made up with (`semantics.md` §7), and a pass that ended before it was attached (§6).
@Suite struct CompensateTests {
    private static let now: Instant = "02-20"
    private static let outage = Compensate.Outage(from: "01-20", to: "01-21", hours: 48)

    private static func outage(
        from startsAt: Instant = "01-20", to endsAt: Instant = "01-21", hours: Int = 48, tier: TierID? = nil,
        any countsAnySource: Bool = false
    ) -> Compensate.Outage {
        .init(from: startsAt, to: endsAt, hours: hours, tier: tier, countsAnySource: countsAnySource)
    }

    private func decide(
        _ outage: Compensate.Outage, for realm: Realm, at now: Instant = now, settings: EntitlementSettings = .everyone
    ) -> Decision<Compensate.Compensation, CompensationRefusal> {
        Compensate(
            .alice, for: outage, as: ExternalID("outage-1"), note: .support,
            in: FoldContext(catalogue: .example, settings: settings)
        ).decide(given: realm.history(at: now))
    }

    /// The tier that is given; nil for a user who is not affected.
    private func check(
        _ outage: Compensate.Outage = outage, for states: VerifiedPurchase..., gives tier: TierID?,
        settings: EntitlementSettings = .everyone, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        var realm = Realm()
        for state in states { realm.attach(state, to: .alice, at: state.purchasedAt) }
        let decision = decide(outage, for: realm, settings: settings)
        guard let tier else {
            #expect(decision.answer == .success(.notAffected), sourceLocation: sourceLocation)
            #expect(decision.drafts.isEmpty, sourceLocation: sourceLocation)
            return
        }
        let length = Int64(outage.hours) * Instant.millisecondsPerHour
        let grant = Grant(key: .grant("outage-1"), gift: .pass(tier: tier, length: length), grantedAt: Self.now)
        #expect(decision.answer == .success(.given(grant)), sourceLocation: sourceLocation)
        #expect(decision.drafts[.alice]?.first?.fact == .granted(grant), sourceLocation: sourceLocation)
    }

    @Test func whoHadAPassAtAnyInstantOfTheOutageGetsItsTier() {
        check(for: .state(of: "p", at: "01-10"), gives: "pro")
        check(for: .state(of: "b", .basic30, at: "01-10"), gives: "basic")
        check(for: .state(of: "p", at: "01-20 23:59:59.999"), gives: "pro")
        check(for: .state(of: "p", at: "01-21"), gives: nil)
        check(for: .state(of: "p", at: "2025-12-21 00:00:00.001"), gives: "pro")
        check(for: .state(of: "p", at: "2025-12-21"), gives: nil)
        check(gives: nil)
    }

    @Test func theHighestTierOfTheOutageIsGivenOrTheOneThatIsNamed() {
        let both: [VerifiedPurchase] = [.state(of: "b", .basic30, at: "01-10"), .state(of: "x", at: "01-20 12:00")]
        check(for: both[0], both[1], gives: "pro")
        check(Self.outage(to: "01-20 12:00"), for: both[0], both[1], gives: "basic")
        check(Self.outage(tier: "basic"), for: both[1], gives: "basic")
        check(Self.outage(tier: "basic"), gives: nil)
        check(for: .state(of: "e", .eyes30, at: "01-10"), .state(of: "x", at: "01-10"), gives: "eyes")
    }

    @Test func plansAndWindowsCountOnlyWhenAsked() {
        let plan = VerifiedPurchase.state(of: "w", .proMonthly, .plan, at: "01-01", until: "01-20")
        check(for: plan, gives: nil)
        check(Self.outage(from: "01-19", any: true), for: plan, gives: "pro")
        check(Self.outage(any: true), for: plan, gives: "pro")
        check(Self.outage(from: "01-21", to: "01-22", any: true), for: plan, gives: nil)
    }

    @Test func aRefundedPassHadNothingToLose() {
        let bought = VerifiedPurchase.state(of: "p", at: "01-10")
        let refunded = bought.with(revocation: Revocation(revokedAt: "01-20", share: 100_000), signedAt: "01-25")
        check(for: bought, refunded, gives: nil)
    }

    @Test func sandboxCountsForWhomItCounts() {
        let state = VerifiedPurchase.state(of: "p", environment: .sandbox, at: "01-10")
        check(for: state, gives: "pro")
        check(for: state, gives: nil, settings: .production)
    }

    @Test func aRepeatFindsWhatWasGivenAndADryRunGivesNothing() throws {
        var realm = Realm()
        realm.attach(.state(of: "p", at: "01-10"), to: .alice, at: "01-10")
        let compensate = Compensate(.alice, for: Self.outage, as: ExternalID("outage-1"), note: .support, in: .example)
        let dry = compensate.compensation(given: realm.history(at: Self.now))
        realm.apply(decide(Self.outage, for: realm), at: Self.now)
        #expect(realm.segments(of: .alice) == ["p 01-10..02-09", "outage-1 02-20..02-22"])
        let again = decide(Self.outage, for: realm, at: "02-21")
        #expect(again.drafts.isEmpty)
        guard case .success(.given(let grant)) = dry else {
            Issue.record("not given: \(dry)")
            return
        }
        #expect(again.answer == .success(.alreadyGiven(grant)))
        realm.apply(
            RevokeGrant(ExternalID("outage-1"), of: .alice, note: .support, in: .example)
                .decide(given: realm.history(at: "02-21")), at: "02-21")
        #expect(decide(Self.outage, for: realm, at: "02-22").drafts.isEmpty, "what was taken back is not given again")
    }

    @Test func refusalsComeInTheirOrder() {
        let refusal =
            { (outage: Compensate.Outage) in
                guard case .failure(let refusal) = self.decide(outage, for: Realm()).answer else { return nil }
                return refusal
            } as (Compensate.Outage) -> CompensationRefusal?
        #expect(refusal(Self.outage(from: "01-21", hours: 0, tier: "gone")) == .unknownTier)
        #expect(refusal(Self.outage(from: "01-21", hours: 0)) == .emptyOutage)
        #expect(refusal(Self.outage(from: Self.now, to: "03-01", hours: 0)) == .emptyOutage)
        #expect(refusal(Self.outage(hours: 0)) == .hoursOutOfRange)
        #expect(refusal(Self.outage(hours: 876_001)) == .hoursOutOfRange)
        #expect(refusal(Self.outage(hours: 876_000)) == nil)
        #expect(refusal(Self.outage(from: "02-19", to: "03-01")) == nil, "an outage may still go on")
    }

    @Test func coverageThatIsOnlyPlannedWasNotLost() {
        check(
            Self.outage(from: "02-19", to: "03-01"), for: .state(of: "p", at: "02-20 00:00:00.001"), gives: nil)
    }

    private func makeGood(_ id: String, _ realm: Realm, at now: Instant = "03-10") -> Decision<Grant, MakeGoodRefusal> {
        MakeGood(.pass(id), of: .alice, as: ExternalID("made_good:\(id)"), note: .support, in: .example)
            .decide(given: realm.history(at: now))
    }

    @Test func aPassThatHadEndedBeforeItWasAttachedIsMadeGoodOnce() {
        var realm = Realm()
        realm.attach(.state(of: "p", at: "01-01", quantity: 2), to: .alice, at: "03-03")
        let decision = makeGood("p", realm)
        let gift = Grant.Gift.pass(tier: "pro", length: 60 * Instant.millisecondsPerDay)
        #expect((try? decision.answer.get().gift) == gift)
        realm.apply(decision, at: "03-10")
        #expect(realm.segments(of: .alice) == ["p 01-01..03-02", "made_good:p 03-10..05-09"])
        let again = makeGood("p", realm, at: "03-11")
        #expect(again.answer == decision.answer && again.drafts.isEmpty)
    }

    @Test func ofAProratedPassWhatWasPaidForIsMadeGood() {
        var realm = Realm()
        realm.attach(.state(of: "p", at: "01-01"), to: .alice, at: "03-03")
        realm.record(
            .state(of: "p", at: "01-01", revocation: Revocation(revokedAt: "03-05", share: 50000), signedAt: "03-05"),
            at: "03-05")
        #expect(
            (try? makeGood("p", realm).answer.get().gift)
                == .pass(tier: "pro", length: 15 * Instant.millisecondsPerDay))
    }

    @Test func onlySuchAPassIsMadeGood() {
        var realm = Realm()
        realm.attach(.state(of: "used", at: "01-01"), to: .alice, at: "01-01")
        realm.attach(.state(of: "a", .xyz, .addOn, at: "01-01"), to: .alice, at: "03-01")
        realm.attach(.state(of: "gone", at: "2025-01-01"), to: .alice, at: "03-01")
        realm.attach(
            .state(
                of: "refunded", at: "2025-01-01", revocation: Revocation(revokedAt: "2025-06-01", share: 100_000),
                signedAt: "2025-06-01"), to: .alice, at: "03-01")
        realm.move("gone", from: .alice, to: "bob", at: "03-02")
        #expect(makeGood("none", realm).answer == .failure(.unknownPurchase))
        #expect(makeGood("gone", realm).answer == .failure(.unknownPurchase))
        for id in ["used", "a", "refunded"] {
            #expect(makeGood(id, realm).answer == .failure(.notEndedBeforeAttached), "\(id)")
        }
    }
}
