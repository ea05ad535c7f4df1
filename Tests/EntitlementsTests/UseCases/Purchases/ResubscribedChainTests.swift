import Entitlements
import Testing

/// Who has a chain on which somebody else subscribed again (`semantics.md` §5, rule 2).
@Suite struct ResubscribedChainTests {
    private static let bob: UserID = "bob"
    private static let holders: [Label: UserID] = ["ta": .alice, "tb": bob, "tc": "carol"]

    private static let context = ClaimContext(
        rules: ClaimRules(),
        fold: FoldContext(
            catalogue: CatalogueVersions(
                .example(ownership: OwnershipPolicies([.plan: .transferIfInactive, .pass: .transferIfInactive]))),
            settings: .everyone))

    private static func period(
        _ name: String, at: Instant, until: Instant, token: Label?, signedAt: Instant? = nil
    ) -> VerifiedPurchase {
        .state(
            of: "w", .proMonthly, .plan, transaction: "t\(name)", period: name, at: at, until: until,
            accountToken: token, account: "A", signedAt: signedAt)
    }

    private static let first = period("1", at: "01-01", until: "02-01", token: "ta")
    private static let back = period("2", at: "04-01", until: "05-01", token: "tb")

    /// Alice's world, in which the later periods are known by notifications, or not yet.
    private static func world(_ renewals: [VerifiedRenewal] = [], then later: VerifiedPurchase...) -> World {
        var world = World()
        world.tokenHolders = holders
        world.attach(first, to: .alice, at: "01-01", in: context)
        for renewal in renewals { world.record(renewal, at: renewal.signedAt) }
        for state in later { world.record(state, at: state.signedAt) }
        return world
    }

    private static func renewal(isInRetry: Bool = false, graceEndsAt: Instant? = nil) -> VerifiedRenewal {
        VerifiedRenewal(
            key: first.key, signedAt: "02-01", willRenew: true, graceEndsAt: graceEndsAt, isInRetry: isInRetry)
    }

    private func check(
        _ world: World, shows state: VerifiedPurchase, proof: AccountProof? = "A", at now: Instant = "04-05",
        moves: Bool, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        var world = world
        world.record(state, at: now)
        let claim = Attach(state, to: Self.bob, proof: proof, in: Self.context)
        let decision = claim.decide(given: world.history(at: now))
        #expect(
            decision.answer == (moves ? .success(.transferred) : .failure(.ownedByAnotherUser)),
            sourceLocation: sourceLocation)
        let isContested = !moves && proof == "A"
        #expect(decision.contested == (isContested ? [state.key: Self.bob] : [:]), sourceLocation: sourceLocation)
        let verdicts = Restore([state], to: Self.bob, proof: proof, in: Self.context)
            .decide(given: world.history(at: now))
        #expect(verdicts.moves.keys == decision.moves.keys, sourceLocation: sourceLocation)
        #expect(verdicts.contested == decision.contested, sourceLocation: sourceLocation)
    }

    @Test func `whoever subscribes again on a lapsed chain with an own token gets it, in every order`() {
        check(Self.world(), shows: Self.back, moves: true)
        check(Self.world(then: Self.back), shows: Self.back, moves: true)
        check(Self.world(then: Self.back), shows: Self.first, moves: true)
        var world = Self.world(then: Self.back)
        world.attach(Self.back, to: Self.bob, proof: "A", at: "04-05", in: Self.context)
        #expect(world.segments(of: Self.bob).last == "w 04-05..05-01")
        #expect(world.segments(of: .alice) == ["w 01-01..02-01", "w 04-01..04-05"])
        let next = Self.period("3", at: "05-01", until: "06-01", token: nil)
        world.record(next, at: "05-01")
        #expect(world.segments(of: Self.bob).last == "w 05-01..06-01")
    }

    @Test func `without the token, or without the proof, the chain stays`() {
        for token in [nil, "ta", "tc", "nobody's"] as [Label?] {
            let back = Self.period("2", at: "04-01", until: "05-01", token: token)
            check(Self.world(), shows: back, moves: false)
            check(Self.world(then: back), shows: Self.first, moves: false)
        }
        check(Self.world(), shows: Self.back, proof: nil, moves: false)
        check(Self.world(), shows: Self.back, proof: "B", moves: false)
    }

    @Test func `the newest run of periods counts, whichever period is shown`() {
        let next = Self.period("3", at: "05-01", until: "06-01", token: nil)
        check(Self.world(then: Self.back, next), shows: Self.first, at: "05-05", moves: true)
        let taken = Self.period("3", at: "05-01", until: "06-01", token: "ta")
        check(Self.world(then: Self.back, taken), shows: Self.back, at: "05-05", moves: false)
        let own = Self.period("3", at: "06-01", until: "07-01", token: "ta")
        check(Self.world(then: Self.back, own), shows: Self.back, at: "06-05", moves: false)
        let mine = Self.period("2", at: "04-01", until: "05-01", token: "ta")
        let switched = Self.period("3", at: "04-20", until: "05-20", token: "tb")
        check(Self.world(then: mine, switched), shows: switched, at: "04-25", moves: false)
        check(Self.world(then: switched, mine), shows: switched, at: "04-25", moves: false)
        let running = Self.period("2", at: "02-01", until: "03-01", token: "tb")
        check(Self.world(then: running), shows: running, at: "02-05", moves: false)
        check(Self.world(then: running), shows: Self.first, at: "02-05", moves: false)
    }

    @Test func `what was refunded before the run had lapsed`() {
        let refunded = VerifiedPurchase.state(
            of: "w", .proMonthly, .plan, transaction: "t1", period: "1", at: "01-01", until: "02-01",
            revocation: Revocation(revokedAt: "01-05", share: Revocation.fullShare), accountToken: "ta", account: "A",
            signedAt: "01-06")
        let again = Self.period("2", at: "01-10", until: "02-10", token: "tb")
        check(Self.world(then: refunded), shows: again, at: "01-12", moves: true)
        check(Self.world(), shows: again, at: "01-12", moves: false)
    }

    @Test func `what was in leeway, in grace or retried before the run had not lapsed`() {
        let late = Self.period("2", at: "02-01 12:00", until: "03-01", token: "tb")
        check(Self.world(), shows: late, at: "02-05", moves: false)
        let last = Self.period("2", at: "02-02", until: "03-01", token: "tb")
        check(Self.world(), shows: last, at: "02-05", moves: false)
        let after = Self.period("2", at: "02-02 00:00:00.001", until: "03-01", token: "tb")
        check(Self.world(), shows: after, at: "02-05", moves: true)
        let retried = [Self.renewal(isInRetry: true)]
        check(
            Self.world(retried), shows: Self.period("2", at: "04-02", until: "05-01", token: "tb"), moves: false)
        check(
            Self.world(retried), shows: Self.period("2", at: "04-02 00:00:00.001", until: "05-01", token: "tb"),
            moves: true)
        check(Self.world([Self.renewal(graceEndsAt: "04-01")]), shows: Self.back, moves: false)
        check(Self.world([Self.renewal(graceEndsAt: "03-31 23:59:59.999")]), shows: Self.back, moves: true)
    }

    @Test func `the cool-down of the last transfer holds here too`() {
        var world = Self.world()
        world.move("w", from: .alice, to: "carol", at: "03-20")
        check(world, shows: Self.back, moves: false)
        check(world, shows: Self.back, at: "04-20", moves: true)
    }

    @Test func `a claim that is refused by a token or a setting is contested if the account is proven`() {
        var world = World()
        world.tokenHolders = Self.holders
        world.record(Self.first, at: "01-01")
        for (proof, contested) in [("A", [Self.first.key: Self.bob]), ("B", [:]), (nil, [:])]
            as [(AccountProof?, [PurchaseKey: UserID])]
        {
            let decision = Attach(Self.first, to: Self.bob, proof: proof, in: Self.context)
                .decide(given: world.history(at: "01-02"))
            #expect(decision.answer == .failure(.accountTokenMismatch) && decision.contested == contested)
        }
        let own = Attach(Self.first, to: .alice, proof: "A", in: Self.context).decide(given: world.history(at: "01-02"))
        #expect(own.answer == .success(.unowned) && own.contested.isEmpty)
    }
}
