import Entitlements
import Testing

/// What becomes of a purchase that another live user owns (`semantics.md` §5, rule 2).
@Suite struct TransferPolicyTests {
    private typealias Policy = OwnershipPolicies.Policy

    private static let bob: UserID = "bob"
    private static let pass = VerifiedPurchase.state(of: "p", at: "01-01", account: "A")
    private static let addOn = VerifiedPurchase.state(of: "a", .xyz, .addOn, at: "01-01", account: "A")
    private static let lot = VerifiedPurchase.state(of: "c", .credits100, .consumable, at: "01-01", account: "A")
    private static let plan = VerifiedPurchase.state(
        of: "w", .proMonthly, .plan, at: "01-01", until: "02-01", account: "A")

    private static func context(
        _ policies: [ProductKind: Policy], rules: ClaimRules = ClaimRules()
    ) -> ClaimContext {
        let catalogue = Catalogue.example(ownership: OwnershipPolicies(policies))
        return ClaimContext(
            rules: rules, fold: FoldContext(catalogue: CatalogueVersions(catalogue), settings: .everyone))
    }

    private static func context(_ policy: Policy, rules: ClaimRules = ClaimRules()) -> ClaimContext {
        context([.pass: policy, .addOn: policy, .consumable: policy, .plan: policy], rules: rules)
    }

    /// Alice has the purchase; Bob attaches it.
    private func check(
        _ state: VerifiedPurchase, then later: VerifiedPurchase..., under policy: Policy, at now: Instant,
        proof: AccountProof? = "A", moves: Bool, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        var world = World()
        world.attach(state, to: .alice, at: state.purchasedAt)
        for state in later { world.record(state, at: state.signedAt) }
        let answer = world.attach(state, to: Self.bob, proof: proof, at: now, in: Self.context(policy))
        #expect(
            answer == (moves ? .success(.transferred) : .failure(.ownedByAnotherUser)), sourceLocation: sourceLocation)
        #expect(world.owners[state.key] == (moves ? Self.bob : .alice), sourceLocation: sourceLocation)
    }

    private static func refunded(_ state: VerifiedPurchase, at: Instant, share: Int = 100_000) -> VerifiedPurchase {
        state.with(revocation: Revocation(revokedAt: at, share: share), signedAt: at)
    }

    @Test func `keep refuses, whatever the proof`() {
        check(Self.pass, under: .keep, at: "03-01", moves: false)
        check(Self.addOn, under: .keep, at: "03-01", moves: false)
    }

    @Test func `transfer moves with the proof of the same Apple account, and not without`() {
        for state in [Self.pass, Self.addOn, Self.lot, Self.plan] {
            check(state, under: .transfer, at: "01-10", moves: true)
            check(state, under: .transfer, at: "01-10", proof: nil, moves: false)
            check(state, under: .transfer, at: "01-10", proof: "B", moves: false)
            let account = Label("A")
            for proof in [
                AccountProof(of: account, in: .vpn, .sandbox),
                AccountProof(of: account, in: AppID("com.other"), .production),
            ] {
                check(state, under: .transfer, at: "01-10", proof: proof, moves: false)
            }
        }
        let unnamed = VerifiedPurchase.state(of: "p", at: "01-01")
        check(unnamed, under: .transfer, at: "01-10", proof: "A", moves: false)
        check(unnamed, under: .transfer, at: "01-10", proof: nil, moves: false)
    }

    @Test func `the policy is that of the kind in the version in force`() {
        var world = World()
        world.attach(Self.pass, to: .alice, at: "01-01")
        let versions = CatalogueVersions(
            first: .init(number: 1, effectiveAt: "2025-01-01", catalogue: .example()),
            later: [
                .init(
                    number: 2, effectiveAt: "01-10",
                    catalogue: .example(ownership: OwnershipPolicies([.pass: .transfer])))
            ])
        let context = ClaimContext(rules: ClaimRules(), fold: FoldContext(catalogue: versions, settings: .everyone))
        let answer = { (context: ClaimContext, now: Instant) in
            var world = world
            return world.attach(Self.pass, to: Self.bob, proof: "A", at: now, in: context)
        }
        #expect(answer(context, "01-09") == .failure(.ownedByAnotherUser))
        #expect(answer(context, "01-10") == .success(.transferred))
        #expect(answer(Self.context([.addOn: .transfer]), "01-10") == .failure(.ownedByAnotherUser))
    }

    @Test func `what the catalogue does not know stays`() {
        check(.state(of: "p", "gone", at: "01-01", account: "A"), under: .transfer, at: "01-10", moves: false)
    }

    @Test func `a pass is inactive once nothing of it is left`() {
        check(Self.pass, under: .transferIfInactive, at: "01-30 23:59:59.999", moves: false)
        check(Self.pass, under: .transferIfInactive, at: "01-31", moves: true)
        check(
            Self.pass, then: Self.refunded(Self.pass, at: "01-05"), under: .transferIfInactive, at: "01-05", moves: true
        )
        check(
            Self.pass, then: Self.refunded(Self.pass, at: "01-05", share: 50000), under: .transferIfInactive,
            at: "01-05", moves: false)
        check(
            Self.pass, then: Self.refunded(Self.pass, at: "01-05", share: 50000), under: .transferIfInactive,
            at: "01-16", moves: true)
    }

    @Test func `a queued or paused pass is not inactive`() {
        var world = World()
        world.attach(.state(of: "b", .basic30, at: "01-01", account: "A"), to: .alice, at: "01-01")
        world.attach(.state(of: "x", at: "01-10", account: "A"), to: .alice, at: "01-10")
        world.attach(.state(of: "y", at: "01-11", account: "A"), to: .alice, at: "01-11")
        let context = Self.context(.transferIfInactive)
        for id in ["b", "x", "y"] {
            let state = VerifiedPurchase.state(of: id, at: "01-01", account: "A")
            let answer = world.attach(state, to: Self.bob, proof: "A", at: "01-20", in: context)
            #expect(answer == .failure(.ownedByAnotherUser), "\(id)")
        }
    }

    @Test func `an add-on is inactive while it is revoked and not while it is suspended`() {
        let refunded = Self.refunded(Self.addOn, at: "01-05")
        check(Self.addOn, under: .transferIfInactive, at: "01-10", moves: false)
        check(Self.addOn, then: refunded, under: .transferIfInactive, at: "01-10", moves: true)
        check(
            Self.addOn, then: refunded, Self.addOn.with(revocation: nil, signedAt: "01-08"),
            under: .transferIfInactive, at: "01-10", moves: false)
        check(
            .state(of: "a", .proOnly, .addOn, at: "01-01", account: "A"), under: .transferIfInactive,
            at: "01-10", moves: false)
    }

    @Test func `a chain is inactive past its period and its leeway`() {
        check(Self.plan, under: .transferIfInactive, at: "01-31", moves: false)
        check(Self.plan, under: .transferIfInactive, at: "02-01 23:59:59.999", moves: false)
        check(Self.plan, under: .transferIfInactive, at: "02-02", moves: true)
        check(
            Self.plan, then: Self.refunded(Self.plan, at: "01-10"), under: .transferIfInactive, at: "01-11", moves: true
        )
        let next = VerifiedPurchase.state(
            of: "w", .proMonthly, .plan, transaction: "2", at: "03-01", until: "04-01", signedAt: "02-10")
        check(Self.plan, then: next, under: .transferIfInactive, at: "02-20", moves: false)
    }

    @Test func `a lot is inactive once it is refunded whole`() {
        check(Self.lot, under: .transferIfInactive, at: "01-10", moves: false)
        check(
            Self.lot, then: Self.refunded(Self.lot, at: "01-05"), under: .transferIfInactive, at: "01-10", moves: true)
    }

    @Test func `the handover says what moved`() throws {
        var world = World()
        world.attach(Self.pass, to: .alice, at: "01-01")
        world.attach(Self.lot, to: .alice, at: "01-01")
        // Refunded units go along, so that they are the new owner's when the refund is reversed.
        world.record(Self.refunded(Self.lot, at: "01-02", share: 30000), at: "01-02")
        for state in [Self.pass, Self.lot] {
            world.attach(state, to: Self.bob, proof: "A", at: "01-11", in: Self.context(.transfer))
        }
        let handovers = world.ledger(of: Self.bob).entries.compactMap { entry -> Handover? in
            guard case .received(_, let handover) = entry.fact else { return nil }
            #expect(entry.effectiveAt == "01-11")
            return handover
        }
        #expect(
            handovers == [
                Handover(cause: .policy, ran: 10 * Instant.millisecondsPerDay), Handover(cause: .policy, units: 100),
            ])
        let gaveAway = world.ledger(of: .alice).entries.filter { $0.fact == .gaveAway(Self.pass.key, handovers[0]) }
        #expect(gaveAway.map(\.effectiveAt) == ["01-11"])
    }

    @Test func `repeating an attach that moved changes nothing`() {
        var world = World()
        world.attach(Self.pass, to: .alice, at: "01-01")
        world.attach(Self.pass, to: Self.bob, proof: "A", at: "01-11", in: Self.context(.transfer))
        let ledgers = world.ledgers
        let again = world.attach(Self.pass, to: Self.bob, proof: "A", at: "01-12", in: Self.context(.transfer))
        #expect(again == .success(.alreadyTheirs) && world.ledgers == ledgers)
        #expect(AttachOutcome.of(.transferred, disposition: .counts).outcome == .attached)
        #expect(AttachOutcome.of(.alreadyTheirs, disposition: .counts).outcome == .alreadyAttached)
    }

    @Test func `a purchase rests after any transfer`() {
        let context = Self.context(.transfer)
        let day = Instant.millisecondsPerDay
        for isByOperator in [true, false] {
            var world = World()
            world.attach(Self.addOn, to: .alice, at: "01-01")
            if isByOperator {
                world.move("a", from: .alice, to: Self.bob, at: "01-10")
            } else {
                world.attach(Self.addOn, to: Self.bob, proof: "A", at: "01-10", in: context)
            }
            let movedAt: Instant = "01-10"
            for (later, moves) in [(day, false), (30 * day - 1, false), (30 * day, true)] {
                var world = world
                let answer = world.attach(Self.addOn, to: "carol", proof: "A", at: movedAt + later, in: context)
                #expect(answer == (moves ? .success(.transferred) : .failure(.ownedByAnotherUser)), "\(later)")
            }
            let none = Self.context(.transfer, rules: ClaimRules(cooldownDays: 0))
            let answer = world.attach(Self.addOn, to: "carol", proof: "A", at: movedAt + 1, in: none)
            #expect(answer == .success(.transferred))
        }
    }

    @Test func `a user gets so many by policy in a year`() {
        let context = Self.context(.transfer)
        var world = World()
        let states = (0..<6).map { VerifiedPurchase.state(of: "p\($0)", at: "01-01", account: "A") }
        for state in states { world.attach(state, to: .alice, at: "01-01") }
        world.move("p0", from: .alice, to: Self.bob, at: "01-02")
        let attach = { (number: Int, now: Instant) in
            world.attach(states[number], to: Self.bob, proof: "A", at: now, in: context)
        }
        #expect(attach(1, "01-05") == .success(.transferred), "an operator's transfer does not count")
        #expect(attach(2, "01-06") == .success(.transferred))
        #expect(attach(3, "01-07") == .success(.transferred))
        #expect(attach(4, "01-08") == .failure(.ownedByAnotherUser))
        #expect(attach(4, "2027-01-04 23:59:59.999") == .failure(.ownedByAnotherUser))
        #expect(attach(4, "2027-01-05") == .success(.transferred))
        #expect(attach(5, "2027-01-05") == .failure(.ownedByAnotherUser))
        #expect(
            world.attach(states[5], to: "carol", proof: "A", at: "2027-01-05", in: context) == .success(.transferred))
    }

    @Test func `a restore counts its own moves and the order of its items says nothing`() {
        let context = Self.context(.transfer, rules: ClaimRules(transfersPerYear: 2))
        var world = World()
        let states = (0..<4).map { VerifiedPurchase.state(of: "p\($0)", at: "01-01", account: "A") }
        for state in states { world.attach(state, to: .alice, at: "01-01") }
        let new = VerifiedPurchase.state(of: "new", at: "01-05", account: "A")
        world.record(new, at: "01-05")
        var random = SplitMix64(seed: 1)
        for _ in 0..<10 {
            let shuffled = (states + [new]).shuffled(using: &random)
            let decision = Restore(shuffled, to: Self.bob, proof: "A", in: context)
                .decide(given: world.history(at: "01-10"))
            let verdicts = decision.answer.get()
            let byID = Dictionary(
                uniqueKeysWithValues: zip(shuffled.map(\.key.externalID.text), verdicts))
            #expect(byID["p0"] == .claimed(.transferred) && byID["p1"] == .claimed(.transferred))
            #expect(byID["p2"] == .refused(.ownedByAnotherUser) && byID["p3"] == .refused(.ownedByAnotherUser))
            #expect(byID["new"] == .claimed(.unowned))
            #expect(Set(decision.moves.keys.map(\.externalID.text)) == ["p0", "p1"])
            #expect(decision.bindings == [new.key: Self.bob])
        }
    }
}
