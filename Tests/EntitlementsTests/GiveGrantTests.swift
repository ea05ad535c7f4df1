import Entitlements
import Testing

/// What an operator may give and take back (`semantics.md` §7).
@Suite struct GiveGrantTests {
    private static let now: Instant = "01-10"
    private static let day = Instant.millisecondsPerDay

    private static let twoApps = CatalogueVersions(
        Catalogue(
            apps: [.init(id: .vpn), .init(id: AppID("gps"))], tiers: [Tier(id: "pro", rank: 1)],
            products: [AppID.vpn, AppID("gps")].map {
                Product(id: .xyz, app: $0, terms: .addOn(features: [], requires: nil, seats: 0, familyShareable: false))
            } + [
                Product(id: "mixed", app: .vpn, terms: .pass(tier: "pro", days: 1)),
                Product(
                    id: "mixed", app: AppID("gps"),
                    terms: .addOn(features: [], requires: nil, seats: 0, familyShareable: false)),
            ]))

    private func give(
        _ offer: GiveGrant.Offer, from catalogue: CatalogueVersions = .example, in realm: Realm = Realm()
    ) -> Decision<Grant, GrantRefusal> {
        GiveGrant(offer, as: ExternalID("g"), to: .alice, note: .support, from: catalogue)
            .decide(given: realm.history(at: Self.now))
    }

    private func check(
        _ offer: GiveGrant.Offer, from catalogue: CatalogueVersions = .example, gives gift: Grant.Gift,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let decision = give(offer, from: catalogue)
        let grant = Grant(key: .grant("g"), gift: gift, grantedAt: Self.now)
        #expect(decision.answer == .success(grant), sourceLocation: sourceLocation)
        #expect(
            decision.drafts == [
                .alice: [.init(.granted(grant), at: Self.now, note: .support), .init(.bound(grant.key), at: Self.now)]
            ], sourceLocation: sourceLocation)
    }

    private func check(
        _ offer: GiveGrant.Offer, from catalogue: CatalogueVersions = .example, isRefused refusal: GrantRefusal,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let decision = give(offer, from: catalogue)
        #expect(decision.answer == .failure(refusal), sourceLocation: sourceLocation)
        #expect(decision.drafts.isEmpty, sourceLocation: sourceLocation)
    }

    @Test func daysAreAPassFromNowOn() {
        check(.addDays(30, of: "pro"), gives: .pass(tier: "pro", length: 30 * Self.day))
        check(.addDays(1, of: "basic"), gives: .pass(tier: "basic", length: Self.day))
        check(.addDays(36_500, of: "pro"), gives: .pass(tier: "pro", length: 36_500 * Self.day))
        check(.addDays(36_501, of: "pro"), isRefused: .amountOutOfRange)
        check(.addDays(0, of: "pro"), isRefused: .amountOutOfRange)
        check(.addDays(-1, of: "pro"), isRefused: .amountOutOfRange)
        check(.addDays(0, of: "gone"), isRefused: .unknownTier)
    }

    @Test func untilIsAWindowThatEndsInTheFuture() {
        check(.until("02-01", of: "pro"), gives: .window(tier: "pro", endsAt: "02-01"))
        check(.until(Self.now + 1, of: "pro"), gives: .window(tier: "pro", endsAt: Self.now + 1))
        check(.until(Self.now, of: "pro"), isRefused: .endOutOfRange)
        check(.until(Instant.distantFuture, of: "pro"), gives: .window(tier: "pro", endsAt: .distantFuture))
        check(.until(Instant.distantFuture + 1, of: "pro"), isRefused: .endOutOfRange)
        check(.until(Self.now, of: "gone"), isRefused: .unknownTier)
    }

    @Test func anAddOnIsOneThatTheAppStoreSells() {
        check(.addOn(.xyz), gives: .addOn(.xyz, app: .vpn))
        check(.addOn(.xyz, app: .vpn), gives: .addOn(.xyz, app: .vpn))
        check(.addOn(.xyz, app: AppID("gps")), isRefused: .unknownProduct)
        check(.addOn("gone"), isRefused: .unknownProduct)
        check(.addOn(.pro30), isRefused: .notAnAddOn)
        check(.addOn(.credits100), isRefused: .notAnAddOn)
    }

    @Test func theAppIsNeededWhereSeveralSellTheProduct() {
        check(.addOn(.xyz), from: Self.twoApps, isRefused: .ambiguousProduct)
        check(.addOn(.xyz, app: AppID("gps")), from: Self.twoApps, gives: .addOn(.xyz, app: AppID("gps")))
        check(.addOn("mixed"), from: Self.twoApps, gives: .addOn("mixed", app: AppID("gps")))
        check(.addOn("mixed", app: .vpn), from: Self.twoApps, isRefused: .notAnAddOn)
    }

    @Test func creditsAreOfAUnitThatIsSoldAndMayExpire() {
        check(.credits(50, unit: "credit"), gives: .credits(unit: "credit", amount: 50, expiresAt: nil))
        check(
            .credits(50, unit: "credit", expiresAt: "02-01"),
            gives: .credits(unit: "credit", amount: 50, expiresAt: "02-01"))
        check(.credits(50, unit: "credit", expiresAt: Self.now), isRefused: .endOutOfRange)
        check(.credits(0, unit: "credit"), isRefused: .amountOutOfRange)
        check(.credits(1_000_000_001, unit: "credit"), isRefused: .amountOutOfRange)
        check(
            .credits(1_000_000_000, unit: "credit"),
            gives: .credits(unit: "credit", amount: 1_000_000_000, expiresAt: nil))
        check(.credits(0, unit: "gone"), isRefused: .unknownUnit)
    }

    @Test func whatIsSoldIsSaidByTheVersionInForce() {
        let versions = CatalogueVersions(
            first: .init(number: 1, effectiveAt: "2025-01-01", catalogue: .example(without: [.xyz])),
            later: [.init(number: 2, effectiveAt: "01-11", catalogue: .example())])
        check(.addOn(.xyz), from: versions, isRefused: .unknownProduct)
    }

    @Test func aRepeatAnswersAsTheFirstTimeAndGivesNothingMore() {
        var realm = Realm()
        realm.apply(give(.addDays(30, of: "pro")), at: "01-05")
        let again = give(.addDays(30, of: "pro"), in: realm)
        #expect(again.drafts.isEmpty)
        #expect((try? again.answer.get().grantedAt) == Self.now, "the first was decided then")
    }

    @Test func aRevocationHoldsFromNowOnAndOnce() {
        var realm = Realm()
        realm.apply(give(.addDays(30, of: "pro")), at: Self.now)
        let revoke = RevokeGrant(ExternalID("g"), of: .alice, note: .support, in: .example)
        let decision = revoke.decide(given: realm.history(at: "01-15"))
        #expect(decision.answer == .success("01-15"))
        #expect(decision.drafts == [.alice: [.init(.withdrawn(.grant("g")), at: "01-15", note: .support)]])
        realm.apply(decision, at: "01-15")
        #expect(realm.segments(of: .alice) == ["g 01-10..01-15"])
        let again = revoke.decide(given: realm.history(at: "01-20"))
        #expect(again.answer == .success("01-15") && again.drafts.isEmpty)
    }

    @Test func onlyWhatTheUserHasIsRevoked() {
        var realm = Realm()
        realm.attach(.state(of: "p", at: "01-01"), to: .alice, at: "01-01")
        realm.apply(give(.addDays(30, of: "pro")), at: Self.now)
        realm.move("g", from: .alice, to: "bob", at: "01-11")
        let revoke = { (id: String, user: UserID) in
            RevokeGrant(ExternalID(id), of: user, note: .support, in: .example)
                .decide(given: realm.history(at: "01-15")).answer
        }
        #expect(revoke("g", "bob") == .success("01-15"))
        #expect(revoke("g", .alice) == .failure(.unknownGrant))
        #expect(revoke("p", .alice) == .failure(.unknownGrant), "a purchase of a store is no grant")
        #expect(revoke("g", "nobody") == .failure(.unknownGrant))
    }

    @Test func whatAStoreSoldIsTakenBackByItsKey() {
        var realm = Realm()
        realm.attach(.state(of: "p", at: "01-01"), to: .alice, at: "01-01")
        let revoke = { (user: UserID, realm: Realm) in
            RevokePurchase(.pass("p"), of: user, note: .support, in: .example).decide(given: realm.history(at: "01-12"))
        }
        #expect(revoke("bob", realm).answer == .failure(.unknownPurchase))
        realm.apply(revoke(.alice, realm), at: "01-12")
        realm.record(.state(of: "p", at: "01-01", signedAt: "01-20"), at: "01-20")
        #expect(realm.segments(of: .alice) == ["p 01-01..01-12"])
        realm.move("p", from: .alice, to: "bob", at: "01-21")
        #expect(realm.status(of: "bob", at: "01-22").entitlements.map(\.state) == [.revoked], "it goes along")
    }

    @Test func theListOfTestersIsRecordedWhenItChanges() {
        var realm = Realm()
        let name = { (isTester: Bool, realm: Realm) in
            NameSandboxTester(.alice, isTester: isTester, note: .support).decide(given: realm.history(at: "01-10"))
        }
        #expect(name(false, realm).drafts.isEmpty && name(false, realm).answer == .success(false))
        let named = name(true, realm)
        #expect(named.answer == .success(true))
        #expect(named.drafts == [.alice: [.init(.sandboxTester(true), at: "01-10", note: .support)]])
        realm.apply(named, at: "01-10")
        #expect(name(true, realm).drafts.isEmpty && name(true, realm).answer == .success(true))
        realm.apply(name(false, realm), at: "01-11")
        #expect(!realm.ledger(of: .alice).isSandboxTester() && realm.ledger(of: .alice).entries.count == 2)
    }

    @Test func consentIsRecordedWhenItChanges() {
        var realm = Realm()
        let say = { (consents: Bool, realm: Realm) in
            ConsentToConsumption(.alice, consents: consents).decide(given: realm.history(at: "01-10"))
        }
        #expect(say(false, realm).drafts.isEmpty)
        realm.apply(say(true, realm), at: "01-10")
        #expect(realm.ledger(of: .alice).consentsToConsumption && say(true, realm).drafts.isEmpty)
        realm.apply(say(false, realm), at: "01-11")
        #expect(!realm.ledger(of: .alice).consentsToConsumption && realm.ledger(of: .alice).entries.count == 2)
    }
}
