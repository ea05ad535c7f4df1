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
        _ offer: OperatorAct.Offer, from catalogue: CatalogueVersions = .example, in world: World = World()
    ) -> Decision<Grant, OperatorRefusal> {
        OperatorAct(on: .alice, note: .support).give(
            offer, as: ExternalID("g"), given: world.history(at: Self.now),
            in: FoldContext(catalogue: catalogue, settings: .everyone))
    }

    private func check(
        _ offer: OperatorAct.Offer, from catalogue: CatalogueVersions = .example, gives gift: Grant.Gift,
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
        _ offer: OperatorAct.Offer, from catalogue: CatalogueVersions = .example, isRefused refusal: OperatorRefusal,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let decision = give(offer, from: catalogue)
        #expect(decision.answer == .failure(refusal), sourceLocation: sourceLocation)
        #expect(decision.drafts.isEmpty, sourceLocation: sourceLocation)
    }

    @Test func `days are a pass from now on`() {
        check(.addDays(30, of: "pro"), gives: .pass(tier: "pro", length: 30 * Self.day))
        check(.addDays(1, of: "basic"), gives: .pass(tier: "basic", length: Self.day))
        check(.addDays(36_500, of: "pro"), gives: .pass(tier: "pro", length: 36_500 * Self.day))
        check(.addDays(36_501, of: "pro"), isRefused: .daysOutOfRange)
        check(.addDays(0, of: "pro"), isRefused: .daysOutOfRange)
        check(.addDays(-1, of: "pro"), isRefused: .daysOutOfRange)
        check(.addDays(0, of: "gone"), isRefused: .unknownTier)
    }

    @Test func `an end is a window that ends in the future`() {
        check(.until("02-01", of: "pro"), gives: .window(tier: "pro", endsAt: "02-01"))
        check(.until(Self.now + 1, of: "pro"), gives: .window(tier: "pro", endsAt: Self.now + 1))
        check(.until(Self.now, of: "pro"), isRefused: .endOutOfRange)
        check(.until(Instant.distantFuture, of: "pro"), gives: .window(tier: "pro", endsAt: .distantFuture))
        check(.until(Instant.distantFuture + 1, of: "pro"), isRefused: .endOutOfRange)
        check(.until(Self.now, of: "gone"), isRefused: .unknownTier)
    }

    @Test func `an add-on is one that the App Store sells`() {
        check(.addOn(.xyz), gives: .addOn(.xyz, app: .vpn))
        check(.addOn(.xyz, app: .vpn), gives: .addOn(.xyz, app: .vpn))
        check(.addOn(.xyz, app: AppID("gps")), isRefused: .unknownProduct)
        check(.addOn("gone"), isRefused: .unknownProduct)
        check(.addOn(.pro30), isRefused: .notAnAddOn)
        check(.addOn(.credits100), isRefused: .notAnAddOn)
    }

    @Test func `what only the card store sells is no add-on of the App Store, and no second one beside it`() {
        let cards = ["card", .xyz].map { id in
            Product(
                id: id, source: .stripe, app: .vpn,
                terms: .addOn(features: [], requires: nil, seats: 0, familyShareable: false))
        }
        let catalogue = CatalogueVersions(.example(adding: cards))
        check(.addOn("card"), from: catalogue, isRefused: .unknownProduct)
        check(.addOn(.xyz), from: catalogue, gives: .addOn(.xyz, app: .vpn))
    }

    @Test func `the app is needed where several sell the product`() {
        check(.addOn(.xyz), from: Self.twoApps, isRefused: .ambiguousProduct)
        check(.addOn(.xyz, app: AppID("gps")), from: Self.twoApps, gives: .addOn(.xyz, app: AppID("gps")))
        check(.addOn("mixed"), from: Self.twoApps, gives: .addOn("mixed", app: AppID("gps")))
        check(.addOn("mixed", app: .vpn), from: Self.twoApps, isRefused: .notAnAddOn)
    }

    @Test func `credits are of a unit that is sold and may expire`() {
        check(.credits(50, unit: "credit"), gives: .credits(unit: "credit", amount: 50, expiresAt: nil))
        check(
            .credits(50, unit: "credit", expiresAt: "02-01"),
            gives: .credits(unit: "credit", amount: 50, expiresAt: "02-01"))
        check(.credits(50, unit: "credit", expiresAt: Self.now), isRefused: .expiryOutOfRange)
        check(.credits(0, unit: "credit"), isRefused: .amountOutOfRange)
        check(.credits(1_000_000_001, unit: "credit"), isRefused: .amountOutOfRange)
        check(
            .credits(1_000_000_000, unit: "credit"),
            gives: .credits(unit: "credit", amount: 1_000_000_000, expiresAt: nil))
        check(.credits(0, unit: "gone"), isRefused: .unknownUnit)
    }

    @Test func `what is sold is said by the version in force`() {
        let versions = CatalogueVersions(
            first: .init(number: 1, effectiveAt: "2025-01-01", catalogue: .example(without: [.xyz])),
            later: [.init(number: 2, effectiveAt: "01-11", catalogue: .example())])
        check(.addOn(.xyz), from: versions, isRefused: .unknownProduct)
    }

    @Test func `a repeat answers as the first time and gives nothing more`() {
        var world = World()
        world.apply(give(.addDays(30, of: "pro")), at: "01-05")
        let again = give(.addDays(30, of: "pro"), in: world)
        #expect(again.drafts.isEmpty)
        #expect((try? again.answer.get().grantedAt) == Self.now, "the first was decided then")
    }

    @Test func `a revocation holds from now on and once`() {
        var world = World()
        world.apply(give(.addDays(30, of: "pro")), at: Self.now)
        let revoke = { (history: PurchaseHistory) in
            OperatorAct(on: .alice, note: .support).withdraw(.grant("g"), given: history, in: .example)
        }
        let decision = revoke(world.history(at: "01-15"))
        #expect(decision.answer.map(\.at) == .success("01-15"))
        #expect(decision.drafts == [.alice: [.init(.withdrawn(.grant("g")), at: "01-15", note: .support)]])
        world.apply(decision, at: "01-15")
        #expect(world.segments(of: .alice) == ["g 01-10..01-15"])
        let again = revoke(world.history(at: "01-20"))
        #expect(again.answer.map(\.at) == .success("01-15") && again.drafts.isEmpty)
    }

    @Test func `only what the user has is revoked`() {
        var world = World()
        world.attach(.state(of: "p", at: "01-01"), to: .alice, at: "01-01")
        world.apply(give(.addDays(30, of: "pro")), at: Self.now)
        world.move("g", from: .alice, to: "bob", at: "01-11")
        let revoke = { (id: String, user: UserID) in
            OperatorAct(on: user, note: .support)
                .withdraw(.grant(id), given: world.history(at: "01-15"), in: .example).answer.map(\.at)
        }
        #expect(revoke("g", "bob") == .success("01-15"))
        #expect(revoke("g", .alice) == .failure(.unknownGrant))
        #expect(revoke("p", .alice) == .failure(.unknownGrant), "a purchase of a store is no grant")
        #expect(revoke("g", "nobody") == .failure(.unknownGrant))
    }

    @Test func `a plan is taken back with its later renewals, and says so at each repeat`() {
        var world = World()
        let month = VerifiedPurchase.state(of: "m", .proMonthly, .plan, at: "01-01", until: "02-01")
        world.attach(month, to: .alice, at: "01-01")
        for _ in 1...2 {
            let decision = OperatorAct(on: .alice, note: .support)
                .withdraw(month.key, given: world.history(at: "01-12"), in: .example)
            #expect(decision.answer.map(\.takesRenewals) == .success(true))
            world.apply(decision, at: "01-12")
        }
    }

    @Test func `what a store sold is taken back by its key`() {
        var world = World()
        world.attach(.state(of: "p", at: "01-01"), to: .alice, at: "01-01")
        let revoke = { (user: UserID, world: World) in
            OperatorAct(on: user, note: .support).withdraw(
                .pass("p"), given: world.history(at: "01-12"), in: .example)
        }
        #expect(revoke("bob", world).answer == .failure(.unknownPurchase))
        #expect(revoke(.alice, world).answer.map(\.takesRenewals) == .success(false))
        world.apply(revoke(.alice, world), at: "01-12")
        world.record(.state(of: "p", at: "01-01", signedAt: "01-20"), at: "01-20")
        #expect(world.segments(of: .alice) == ["p 01-01..01-12"])
        world.move("p", from: .alice, to: "bob", at: "01-21")
        #expect(world.status(of: "bob", at: "01-22").entitlements.map(\.state) == [.revoked], "it goes along")
    }

    @Test func `the list of testers is recorded when it changes`() {
        var world = World()
        let name = { (isTester: Bool, world: World) in
            OperatorAct(on: .alice, note: .support).nameSandboxTester(isTester, given: world.history(at: "01-10"))
        }
        #expect(name(false, world).drafts.isEmpty && name(false, world).answer == .success(false))
        let named = name(true, world)
        #expect(named.answer == .success(true))
        #expect(named.drafts == [.alice: [.init(.sandboxTester(true), at: "01-10", note: .support)]])
        world.apply(named, at: "01-10")
        #expect(name(true, world).drafts.isEmpty && name(true, world).answer == .success(true))
        world.apply(name(false, world), at: "01-11")
        #expect(!world.ledger(of: .alice).isSandboxTester() && world.ledger(of: .alice).entries.count == 2)
    }

    @Test func `consent is recorded when it changes`() {
        var world = World()
        let say = { (consents: Bool, world: World) in
            ConsentToConsumption(.alice, consents: consents).decide(given: world.history(at: "01-10"))
        }
        #expect(say(false, world).drafts.isEmpty)
        world.apply(say(true, world), at: "01-10")
        #expect(world.ledger(of: .alice).consentsToConsumption && say(true, world).drafts.isEmpty)
        world.apply(say(false, world), at: "01-11")
        #expect(!world.ledger(of: .alice).consentsToConsumption && world.ledger(of: .alice).entries.count == 2)
    }
}
