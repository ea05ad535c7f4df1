import Entitlements
import Testing

/// What an erased person owes is written off (`semantics.md` §5).
@Suite struct ErasedDebtTests {
    private static let bob: UserID = "bob"
    private static let gone = UserID.erased(pseudonym: 7)
    private static let p1 = VerifiedPurchase.state(of: "p1", at: "01-01", account: "A")
    private static let p2 = VerifiedPurchase.state(of: "p2", at: "01-10", account: "A")
    private static let c = VerifiedPurchase.state(of: "c", .credits100, .consumable, at: "01-01", account: "A")
    private static let d = VerifiedPurchase.state(of: "d", .credits100, .consumable, at: "01-11", account: "A")
    private static let others = VerifiedPurchase.state(of: "e", .credits100, .consumable, at: "01-11", account: "B")

    /// Alice buys, and spends some.
    private static func spending(_ units: Int = 70, _ states: [VerifiedPurchase] = [c]) -> World {
        var world = World()
        for state in states { world.attach(state, to: .alice, at: state.purchasedAt) }
        world.spend(units, of: .alice, at: "01-12")
        return world
    }

    /// All of `c` is refunded, and Alice is erased.
    private static func indebted(_ world: World = spending()) -> World {
        var world = world
        world.record(refund(of: c), at: "01-13")
        world.erase(.alice, as: 7)
        return world
    }

    private static func refund(of state: VerifiedPurchase, signedAt: Instant = "01-13") -> VerifiedPurchase {
        state.with(revocation: Revocation(revokedAt: "01-13", share: 100_000), signedAt: signedAt)
    }

    private func balances(in world: World, at instant: Instant = "02-20") -> [String] {
        [Self.bob, Self.gone].map { world.timeline(of: $0).facts(of: .credit).state(at: instant).balance.text }
    }

    @Test func `whoever shows another purchase of the Apple account owes nothing`() {
        var world = Self.indebted()
        let before = world.ledger(of: Self.gone)
        #expect(world.attach(Self.p2, to: Self.bob, at: "02-10") == .success(.unowned))
        #expect(world.restore([Self.p2], to: Self.bob, at: "02-11") == .success([.claimed(.alreadyTheirs)]))
        #expect(balances(in: world) == ["0 = 0 credited", "−70 = 100 credited − 100 refunded − 70 spent"])
        #expect(world.ledger(of: Self.gone) == before && world.status(of: Self.bob, at: "02-11").credits == [])
        world.attach(Self.d, to: Self.bob, at: "02-12")
        #expect(balances(in: world)[0] == "100 = 100 credited")
    }

    @Test func `the proof brings what is left, and what a reversal gives back of it`() {
        var world = Self.indebted()
        #expect(world.attach(Self.c, to: Self.bob, proof: "A", at: "02-10") == .success(.transferred))
        #expect(
            balances(in: world) == ["0 = 30 credited − 30 refunded", "−70 = 70 credited − 70 refunded − 70 spent"])
        world.record(Self.c.with(revocation: nil, signedAt: "02-13"), at: "02-13")
        #expect(balances(in: world) == ["30 = 30 credited", "0 = 70 credited − 70 spent"])
    }

    @Test func `a refund after the erasure makes nobody owe, before and after the claim`() {
        let erased = Self.indebted(Self.spending())
        var world = Self.spending()
        world.erase(.alice, as: 7)
        var claimed = world
        world.record(Self.refund(of: Self.c), at: "01-13")
        #expect(world.ledger(of: Self.gone).entries.map(\.fact) == erased.ledger(of: Self.gone).entries.map(\.fact))
        claimed.attach(Self.c, to: Self.bob, proof: "A", at: "01-12 12:00:00")
        #expect(balances(in: claimed, at: "01-12 12:00:00") == ["30 = 30 credited", "0 = 70 credited − 70 spent"])
        claimed.spend(10, of: Self.bob, at: "01-12 13:00:00")
        claimed.record(Self.refund(of: Self.c), at: "01-13")
        #expect(
            balances(in: claimed) == [
                "−10 = 30 credited − 30 refunded − 10 spent", "−70 = 70 credited − 70 refunded − 70 spent",
            ], "who claimed it owes what they spent themselves")
    }

    @Test func `units that repaid stay, and are free there once the refund is reversed`() {
        var world = Self.indebted(Self.spending(70, [Self.c, Self.d]))
        #expect(world.attach(Self.d, to: Self.bob, proof: "A", at: "02-10") == .success(.transferred))
        #expect(
            balances(in: world) == [
                "30 = 60 credited − 30 refunded", "0 = 140 credited − 70 refunded − 70 spent",
            ])
        world.record(Self.c.with(revocation: nil, signedAt: "02-13"), at: "02-13")
        #expect(balances(in: world) == ["60 = 60 credited", "70 = 140 credited − 70 spent"])
    }

    @Test func `units that repay another account's debt stay with it`() {
        var world = Self.indebted(Self.spending(70, [Self.c, Self.others]))
        #expect(world.attach(Self.others, to: Self.bob, proof: "B", at: "02-10") == .success(.transferred))
        #expect(balances(in: world) == ["30 = 30 credited", "0 = 170 credited − 100 refunded − 70 spent"])
    }

    @Test func `the refund of a lot without an Apple account stays where it is`() {
        let unnamed = VerifiedPurchase.state(of: "c", .credits100, .consumable, at: "01-01")
        var world = Self.indebted(Self.spending(70, [unnamed, Self.p1]))
        #expect(world.attach(Self.p1, to: Self.bob, proof: "A", at: "02-10") == .success(.transferred))
        #expect(world.owners[unnamed.key] == Self.bob)
        world.attach(Self.c.with(revocation: nil, signedAt: "01-12"), to: Self.bob, at: "02-11")
        #expect(
            balances(in: world) == ["0 = 30 credited − 30 refunded", "−70 = 70 credited − 70 refunded − 70 spent"])
    }

    @Test func `the living keep their debts`() {
        var world = Self.spending()
        world.record(Self.refund(of: Self.c), at: "01-13")
        world.attach(Self.p2, to: Self.bob, at: "02-10")
        #expect(world.status(of: .alice, at: "02-10").credits.map(\.debt) == [70])
        world.attach(Self.others, to: .alice, at: "02-11")
        #expect(world.status(of: .alice, at: "02-11").credits.map(\.spendable) == [30], "the next credits repay it")
    }

    @Test func `what was reserved is free again, for nobody can commit it`() {
        var world = World()
        world.attach(Self.c, to: .alice, at: "01-01")
        world.reserve(60, of: .alice, at: "01-12 12:00:00")
        world.erase(.alice, as: 7)
        world.attach(Self.c, to: Self.bob, proof: "A", at: "01-12 12:20:00")
        #expect(
            balances(in: world, at: "01-12 12:20:00") == ["100 = 100 credited", "0 = 0 credited"],
            "it is released, and not only past its deadline")
    }

    @Test(arguments: [("01-12 12:59:59.999", 1), ("01-12 13:00:00", 0)] as [(Instant, Int)])
    func `a reservation is released before its deadline, from which on it is free by itself`(
        instant: Instant, releases: Int
    ) {
        var world = World()
        world.attach(Self.c, to: .alice, at: "01-01")
        world.reserve(60, of: .alice, at: "01-12 12:00:00")
        world.erase(.alice, as: 7)
        world.attach(Self.c, to: Self.bob, proof: "A", at: instant)
        let acts = world.ledger(of: Self.gone).entries.filter { $0.fact.kindText == "credit" }
        #expect(acts.count == 1 + releases)
        #expect(balances(in: world, at: instant) == ["100 = 100 credited", "0 = 0 credited"])
    }
}
