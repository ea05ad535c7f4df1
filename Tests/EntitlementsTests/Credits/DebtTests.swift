import Entitlements
import Testing

/// What an erased person owed follows to whoever has a purchase of the same Apple account (`semantics.md` §5).
@Suite struct DebtTests {
    private static let bob: UserID = "bob"
    private static let gone = UserID.erased(pseudonym: 7)
    private static let p1 = VerifiedPurchase.state(of: "p1", at: "01-01", account: "A")
    private static let p2 = VerifiedPurchase.state(of: "p2", at: "01-10", account: "A")
    private static let coins = VerifiedPurchase.state(of: "c", .credits100, .consumable, at: "01-01", account: "A")
    private static let others = VerifiedPurchase.state(of: "d", .credits100, .consumable, at: "01-11", account: "B")

    /// Alice spends some of 100, all are refunded, and she is erased.
    private static func indebted(by units: Int = 40, _ states: [VerifiedPurchase] = []) -> World {
        var world = World()
        for state in [coins] + states { world.attach(state, to: .alice, at: state.purchasedAt) }
        world.spend(units, of: .alice, at: "01-12")
        world.record(refund(of: coins), at: "01-13")
        world.erase(.alice, as: 7)
        return world
    }

    private static func refund(of state: VerifiedPurchase, share: Int = 100_000) -> VerifiedPurchase {
        state.with(revocation: Revocation(revokedAt: "01-13", share: share), signedAt: "01-13")
    }

    /// What somebody can spend and what they owe, long after.
    private func purse(of user: UserID, in world: World) -> [Int] {
        let state = world.timeline(of: user).facts(of: .credit).state(at: "12-01")
        return [state.spendable, state.debt]
    }

    @Test func `the debt follows to whoever has any purchase of the Apple account`() {
        var world = Self.indebted()
        #expect(world.attach(Self.p2, to: Self.bob, at: "02-10") == .success(.unowned))
        #expect(purse(of: Self.bob, in: world) == [0, 40] && purse(of: Self.gone, in: world) == [0, 0])
        #expect(world.owners[Self.coins.key] == Self.gone, "the lot stays where it was")
        let before = world.ledgers
        #expect(world.attach(Self.p1, to: "carl", at: "02-11") == .success(.unowned))
        #expect(purse(of: "carl", in: world) == [0, 0], "it is owed once")
        #expect(world.attach(Self.p2, to: Self.bob, at: "02-12") == .success(.alreadyTheirs))
        #expect(world.ledgers[Self.bob] == before[Self.bob])
        world.attach(.state(of: "e", .credits100, .consumable, at: "02-12"), to: Self.bob, at: "02-12")
        #expect(purse(of: Self.bob, in: world) == [60, 0], "the next credits repay it")
    }

    @Test func `it is an amount in both ledgers and about no purchase`() {
        var world = Self.indebted()
        world.attach(Self.p2, to: Self.bob, at: "02-10")
        let debt = Debt(of: Label("A"), in: .vpn, .production, 40, unit: "credit")
        #expect(world.ledger(of: Self.gone).entries.last?.fact == .debtPassedOn(debt))
        #expect(world.ledger(of: Self.bob).entries.last?.fact == .debtTakenOver(debt))
        let balances = [Self.gone, Self.bob].flatMap { world.timeline(of: $0).creditBalances(at: "02-10") }
        #expect(
            balances.map(\.text) == [
                "0 = 100 credited − 100 refunded − 40 spent + 40 passed on", "−40 = 0 credited − 40 taken over",
            ])
        #expect(world.timeline(of: Self.gone).creditBalances(at: "02-09").map(\.debt) == [40], "the past stays")
        #expect(world.status(of: Self.bob, at: "02-09").credits == [])
    }

    @Test func `a later reversal stays on the erased side`() {
        var world = Self.indebted()
        world.attach(Self.p2, to: Self.bob, at: "02-10")
        world.record(
            Self.coins.with(revocation: Revocation(revokedAt: "01-13", share: 80_000), signedAt: "02-11"), at: "02-11")
        #expect(purse(of: Self.bob, in: world) == [0, 40] && purse(of: Self.gone, in: world) == [20, 0])
        world.record(Self.coins.with(revocation: nil, signedAt: "02-13"), at: "02-13")
        #expect(purse(of: Self.bob, in: world) == [0, 40] && purse(of: Self.gone, in: world) == [100, 0])
        world.record(
            Self.refund(of: Self.coins).with(revocation: .init(revokedAt: "01-13", share: 100_000), signedAt: "02-14"),
            at: "02-14")
        #expect(world.restore([Self.p2], to: Self.bob, at: "02-15") == .success([.claimed(.alreadyTheirs)]))
        #expect(purse(of: Self.bob, in: world) == [0, 40] && purse(of: Self.gone, in: world) == [0, 0])
    }

    @Test func `the proof brings what is left later, and nothing is owed twice`() {
        var world = Self.indebted()
        world.attach(Self.p2, to: "carl", at: "02-10")
        #expect(purse(of: "carl", in: world) == [0, 40])
        #expect(world.attach(Self.coins, to: Self.bob, proof: "A", at: "02-11") == .success(.transferred))
        #expect(purse(of: "carl", in: world) == [0, 40] && purse(of: Self.bob, in: world) == [0, 0])
        world.record(Self.coins.with(revocation: nil, signedAt: "02-13"), at: "02-13")
        #expect(purse(of: "carl", in: world) == [0, 40] && purse(of: Self.bob, in: world) == [60, 0])
        #expect(purse(of: Self.gone, in: world) == [40, 0])
        world.erase("carl", as: 8)
        world.record(
            Self.refund(of: Self.coins).with(revocation: .init(revokedAt: "02-14", share: 100_000), signedAt: "02-14"),
            at: "02-14")
        #expect(purse(of: .erased(pseudonym: 8), in: world) == [0, 40])
        world.attach(Self.p1, to: "dora", at: "02-15")
        #expect(purse(of: "dora", in: world) == [0, 40] && purse(of: .erased(pseudonym: 8), in: world) == [0, 0])
        #expect(purse(of: Self.bob, in: world) == [0, 0] && purse(of: Self.gone, in: world) == [0, 0])
    }

    @Test func `what was repaid by whoever took it over is owed no more`() {
        var world = Self.indebted()
        world.attach(Self.p2, to: Self.bob, at: "02-10")
        world.attach(.state(of: "e", .credits100, .consumable, at: "02-11", account: "B"), to: Self.bob, at: "02-11")
        world.erase(Self.bob, as: 8)
        world.attach(Self.p1, to: "carl", at: "02-12")
        #expect(purse(of: "carl", in: world) == [0, 0] && purse(of: .erased(pseudonym: 8), in: world) == [60, 0])
    }

    @Test func `the refund of a lot without an Apple account stays where it is`() {
        let unnamed = VerifiedPurchase.state(of: "u", .credits100, .consumable, at: "01-02")
        var world = World()
        for state in [unnamed, Self.p1] { world.attach(state, to: .alice, at: state.purchasedAt) }
        world.spend(40, of: .alice, at: "01-12")
        world.record(Self.refund(of: unnamed), at: "01-13")
        world.erase(.alice, as: 7)
        #expect(world.attach(Self.p1, to: Self.bob, proof: "A", at: "02-10") == .success(.transferred))
        #expect(world.owners[unnamed.key] == Self.bob)
        #expect(purse(of: Self.bob, in: world) == [0, 0] && purse(of: Self.gone, in: world) == [0, 40])
        let named = VerifiedPurchase.state(
            of: "u", .credits100, .consumable, at: "01-02", revocation: .init(revokedAt: "01-13", share: 100_000),
            account: "A", signedAt: "02-11")
        world.attach(named, to: Self.bob, at: "02-11")
        #expect(purse(of: Self.bob, in: world) == [0, 40], "until a newer state names one")
    }

    @Test func `a refund after the erasure follows as soon as the account is shown again`() {
        var world = World()
        world.attach(Self.coins, to: .alice, at: "01-01")
        world.spend(40, of: .alice, at: "01-12")
        world.erase(.alice, as: 7)
        world.attach(Self.p2, to: Self.bob, at: "01-12")
        #expect(purse(of: Self.bob, in: world) == [0, 0], "what is left needs the proof")
        for (share, owed) in [(80_000, 20), (100_000, 40)] {
            world.record(Self.refund(of: Self.coins, share: share), at: "01-13")
            let answer = world.restore([Self.p2], to: Self.bob, at: "01-14")
            #expect(answer == .success([.claimed(.alreadyTheirs)]))
            #expect(purse(of: Self.bob, in: world) == [0, owed] && purse(of: Self.gone, in: world) == [0, 0])
        }
    }

    @Test func `a restore says the same in whichever order its items stand`() {
        for pass in ["a", "z"] {
            var world = Self.indebted()
            let state = VerifiedPurchase.state(of: pass, at: "01-20", account: "A")
            let answer = world.restore([Self.refund(of: Self.coins), state], to: Self.bob, at: "02-10")
            #expect(answer == .success([.refused(.ownedByAnotherUser), .claimed(.unowned)]))
            #expect(purse(of: Self.bob, in: world) == [0, 40])
        }
    }

    @Test(arguments: [nil, "B"]) func `another Apple account owes nothing of it`(_ account: String?) {
        var world = Self.indebted()
        let state = VerifiedPurchase.state(of: "o", at: "01-20", account: account)
        let proof = account.map { AccountProof(stringLiteral: $0) }
        #expect(world.attach(state, to: Self.bob, proof: proof, at: "02-10") == .success(.unowned))
        #expect(purse(of: Self.bob, in: world) == [0, 0] && purse(of: Self.gone, in: world) == [0, 40])
    }

    @Test func `another app, the sandbox and a refused purchase bring no debt`() {
        var world = Self.indebted()
        let other = VerifiedPurchase(
            key: PurchaseKey(
                source: .appleIAP, app: AppID("com.other"), environment: .production, externalID: ExternalID("x")),
            transactionID: TransactionID("x"), productID: .pro30, type: .pass, purchasedAt: "01-20", account: "A",
            signedAt: "01-20")
        #expect(world.attach(other, to: Self.bob, at: "02-10") == .success(.unowned))
        let sandbox = VerifiedPurchase.state(of: "s", environment: .sandbox, at: "01-20", account: "A")
        #expect(world.attach(sandbox, to: Self.bob, at: "02-10") == .success(.unowned))
        world.attach(Self.p2, to: "carl", at: "01-20")
        #expect(world.attach(Self.p2, to: Self.bob, at: "02-10") == .failure(.ownedByAnotherUser))
        #expect(purse(of: Self.bob, in: world) == [0, 0])
    }

    @Test func `only the Apple account that the request shows counts`() {
        var world = Self.indebted()
        world.record(Self.p2, at: "02-09")
        let unnamed = VerifiedPurchase.state(of: "p2", at: "01-10", signedAt: "01-11")
        #expect(world.attach(unnamed, to: Self.bob, at: "02-10") == .success(.unowned))
        #expect(purse(of: Self.bob, in: world) == [0, 0], "whoever else's request locks the debtor decides nothing")
        #expect(world.attach(Self.p2, to: Self.bob, at: "02-11") == .success(.alreadyTheirs))
        #expect(purse(of: Self.bob, in: world) == [0, 40])
    }

    @Test func `a debt that comes by a clock ahead of ours stops the next spend`() {
        var world = World()
        let ahead = VerifiedPurchase.state(of: "c", .credits100, .consumable, at: "01-01 00:03:00", account: "A")
        world.attach(ahead, to: .alice, at: "01-01")
        world.spend(40, of: .alice, at: "01-01")
        world.record(
            ahead.with(revocation: .init(revokedAt: "01-01 00:03:00", share: 100_000), signedAt: "01-01 00:03:01"),
            at: "01-01")
        world.erase(.alice, as: 7)
        world.attach(
            .state(of: "d", .credits100, .consumable, at: "01-01", account: "A"), to: Self.bob, at: "01-01 00:01:00")
        let spend = SpendCredits(
            .of(70), from: .credit, of: Self.bob, idempotencyKey: "k", request: "r", in: .example, settings: .everyone)
        #expect(
            spend.decide(given: world.history(at: "01-01 00:02:00")).answer == .failure(.insufficientCredits),
            "60 are left")
    }

    @Test func `the living keep their debts`() {
        var world = World()
        world.attach(Self.coins, to: .alice, at: "01-01")
        world.spend(40, of: .alice, at: "01-12")
        world.record(Self.refund(of: Self.coins), at: "01-13")
        world.attach(Self.p2, to: Self.bob, at: "02-10")
        #expect(purse(of: .alice, in: world) == [0, 40] && purse(of: Self.bob, in: world) == [0, 0])
    }

    @Test(arguments: [false, true]) func `the debt of a lot that went on follows too`(comesBack: Bool) {
        var world = World()
        world.attach(Self.coins, to: .alice, at: "01-01")
        world.spend(70, of: .alice, at: "01-10")
        world.move("c", from: .alice, to: "w", at: "01-11")
        if comesBack { world.move("c", from: "w", to: .alice, at: "01-12") }
        world.record(Self.refund(of: Self.coins), at: "01-13")
        world.erase(.alice, as: 7)
        #expect(purse(of: Self.gone, in: world) == [0, 70])
        world.attach(Self.p2, to: Self.bob, at: "02-10")
        #expect(purse(of: Self.bob, in: world) == [0, 70] && purse(of: Self.gone, in: world) == [0, 0])
        world.record(Self.coins.with(revocation: nil, signedAt: "02-13"), at: "02-13")
        #expect(purse(of: Self.bob, in: world) == [0, 70])
        #expect(purse(of: Self.gone, in: world) == [comesBack ? 100 : 70, 0])
        #expect(purse(of: "w", in: world) == [comesBack ? 0 : 30, 0])
    }

    @Test func `what was reserved is free again, for nobody can commit it`() {
        var world = World()
        world.attach(Self.coins, to: .alice, at: "01-01")
        world.reserve(60, of: .alice, at: "01-12 12:00:00")
        world.erase(.alice, as: 7)
        var refunded = world
        refunded.record(Self.refund(of: Self.coins), at: "01-12 12:10:00")
        refunded.attach(Self.p2, to: Self.bob, at: "01-12 12:20:00")
        #expect(purse(of: Self.bob, in: refunded) == [0, 0] && purse(of: Self.gone, in: refunded) == [0, 0])
        #expect(refunded.ledger(of: Self.gone).entries.last?.fact.purchase != nil, "nothing is owed, nothing is done")
        world.attach(Self.coins, to: Self.bob, proof: "A", at: "01-12 12:20:00")
        #expect(purse(of: Self.bob, in: world) == [100, 0] && purse(of: Self.gone, in: world) == [0, 0])
        let left = world.timeline(of: Self.gone).creditBalances(at: "01-12 12:20:00")
        #expect(left.map(\.text) == ["0 = 0 credited"], "it is released, and not only past its deadline")
    }

    @Test func `no more follows than is owed in all`() {
        var world = Self.indebted(by: 100, [Self.refund(of: Self.others, share: 40_000)])
        #expect(purse(of: Self.gone, in: world) == [0, 40], "60 repay 100")
        world.attach(.state(of: "o", at: "01-20", account: "B"), to: "carl", at: "02-10")
        #expect(purse(of: "carl", in: world) == [0, 0], "the account that repays owes nothing")
        world.attach(Self.p2, to: Self.bob, at: "02-10")
        #expect(purse(of: Self.bob, in: world) == [0, 40] && purse(of: Self.gone, in: world) == [0, 0])
    }

    @Test func `what two accounts owe together is owed once`() {
        var world = World()
        for state in [Self.coins, Self.others] { world.attach(state, to: .alice, at: state.purchasedAt) }
        world.spend(160, of: .alice, at: "01-12")
        world.apply(
            GiveGrant(.credits(105, unit: "credit"), as: ExternalID("g"), to: .alice, note: .support, from: .example)
                .decide(given: world.history(at: "01-12")), at: "01-12")
        for state in [Self.coins, Self.others] { world.record(Self.refund(of: state), at: "01-13") }
        world.erase(.alice, as: 7)
        #expect(purse(of: Self.gone, in: world) == [0, 55])
        #expect(
            world.timeline(of: Self.gone).openDebts(at: "02-10")
                == [Debt(of: Label("A"), in: .vpn, .production, 55, unit: "credit")])
        world.attach(.state(of: "o", at: "01-20", account: "B"), to: "carl", at: "02-10")
        #expect(purse(of: "carl", in: world) == [0, 0])
        world.attach(Self.p2, to: Self.bob, at: "02-10")
        #expect(purse(of: Self.bob, in: world) == [0, 55] && purse(of: Self.gone, in: world) == [0, 0])
    }

    @Test func `what was taken over and what is owed beside it are told apart by account`() {
        var world = Self.indebted(by: 30)
        world.attach(Self.others, to: Self.bob, at: "01-11")
        world.spend(20, of: Self.bob, at: "01-12")
        world.attach(Self.p2, to: Self.bob, at: "02-10")
        world.record(Self.refund(of: Self.others), at: "02-11")
        #expect(
            world.timeline(of: Self.bob).openDebts(at: "02-12") == [
                Debt(of: Label("A"), in: .vpn, .production, 30, unit: "credit"),
                Debt(of: Label("B"), in: .vpn, .production, 20, unit: "credit"),
            ])
    }

    @Test func `units that repay another account's debt stay with it`() {
        var world = Self.indebted(by: 70, [Self.others])
        #expect(purse(of: Self.gone, in: world) == [30, 0])
        #expect(world.attach(Self.others, to: "carl", proof: "B", at: "02-10") == .success(.transferred))
        #expect(purse(of: "carl", in: world) == [30, 0] && purse(of: Self.gone, in: world) == [0, 0])
        world.attach(Self.p2, to: Self.bob, at: "02-10")
        #expect(purse(of: Self.bob, in: world) == [0, 0])
    }

    @Test func `who took the debt and proved the account leaves both behind`() {
        var world = Self.indebted()
        world.attach(Self.p2, to: Self.bob, at: "02-10")
        world.attach(Self.coins, to: Self.bob, proof: "A", at: "02-11")
        #expect(purse(of: Self.bob, in: world) == [0, 40])
        world.erase(Self.bob, as: 8)
        world.attach(Self.coins, to: "eve", proof: "A", at: "02-12")
        #expect(purse(of: "eve", in: world) == [0, 40] && purse(of: .erased(pseudonym: 8), in: world) == [0, 0])
        world.record(Self.coins.with(revocation: nil, signedAt: "02-13"), at: "02-13")
        #expect(purse(of: "eve", in: world) == [20, 0], "60 came back, 40 of them repay")
    }

    @Test func `whoever gets the lot by an operator takes the debt like any other`() {
        var world = Self.indebted()
        world.attach(Self.p2, to: "carl", at: "02-10")
        world.attach(Self.coins, to: Self.bob, proof: "A", at: "02-11")
        world.move("c", from: Self.bob, to: "w", at: "02-12")
        world.erase("carl", as: 8)
        world.attach(Self.coins, to: "w", at: "02-13")
        #expect(purse(of: "w", in: world) == [0, 40] && purse(of: .erased(pseudonym: 8), in: world) == [0, 0])
    }

    @Test func `the proof changes nothing of what was repaid before`() {
        var world = Self.indebted()
        world.attach(Self.p2, to: Self.bob, at: "02-10")
        world.apply(
            GiveGrant(
                .credits(50, unit: "credit", expiresAt: "02-12"), as: ExternalID("g"), to: Self.bob, note: .support,
                from: .example
            ).decide(given: world.history(at: "02-11")), at: "02-11")
        #expect(purse(of: Self.bob, in: world) == [0, 0], "40 repay and outlive the rest")
        world.attach(Self.coins, to: Self.bob, proof: "A", at: "02-14")
        #expect(purse(of: Self.bob, in: world) == [0, 0])
    }

    @Test func `the proof brings no less debt than no proof`() {
        var world = World()
        world.attach(Self.coins, to: .alice, at: "01-01")
        world.spend(40, of: .alice, at: "01-10")
        world.move("c", from: .alice, to: "w", at: "01-11")
        world.record(Self.refund(of: Self.coins), at: "01-13")
        world.erase(.alice, as: 7)
        world.erase("w", as: 8)
        world.attach(Self.coins, to: Self.bob, proof: "A", at: "02-10")
        #expect(purse(of: Self.bob, in: world) == [0, 40] && purse(of: Self.gone, in: world) == [0, 0])
    }

    @Test func `what repays stays, and nothing is owed`() {
        let more = VerifiedPurchase.state(of: "w", .credits100, .consumable, at: "01-12", account: "A")
        var world = World()
        world.attach(Self.coins, to: .alice, at: "01-01")
        world.spend(70, of: .alice, at: "01-10")
        world.move("c", from: .alice, to: "w", at: "01-11")
        world.attach(more, to: .alice, at: "01-12")
        world.record(Self.refund(of: Self.coins), at: "01-13")
        world.erase(.alice, as: 7)
        world.attach(more, to: Self.bob, proof: "A", at: "02-10")
        #expect(purse(of: Self.bob, in: world) == [30, 0] && purse(of: Self.gone, in: world) == [0, 0])
        world.record(Self.coins.with(revocation: nil, signedAt: "02-13"), at: "02-13")
        #expect(purse(of: Self.gone, in: world) == [70, 0], "a later reversal stays on the erased side")
        #expect(purse(of: Self.bob, in: world) == [30, 0] && purse(of: "w", in: world) == [30, 0])
    }
}
