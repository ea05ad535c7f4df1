import Entitlements
import Testing

/// Whose a card purchase is, by what its events and its customer say (`semantics.md` §7, "Cards").
struct PlaceNamedPurchaseTests {
    private static let ben: UserID = "ben"
    private static let month = VerifiedPurchase.state(of: "sub", .proMonthly, .plan, at: "01-01", until: "02-01")

    private static func place(
        for user: UserID?, asCustomer: Bool = false, _ state: VerifiedPurchase = month, in world: inout World,
        at now: Instant
    ) -> UserID? {
        let place = PlaceNamedPurchase(state.key, for: user, asCustomer: asCustomer)
        return world.apply(place.decide(given: world.history(at: now)), at: now).get()
    }

    private static func world() -> World {
        var world = World()
        world.record(month, at: "01-01")
        return world
    }

    @Test func `what a customer got alone goes to whom its own event names, as if it had always been theirs`() {
        var first = Self.world()
        #expect(Self.place(for: .alice, asCustomer: true, in: &first, at: "01-02") == .alice)
        #expect(Self.place(for: Self.ben, in: &first, at: "01-05") == Self.ben)
        var second = Self.world()
        #expect(Self.place(for: Self.ben, in: &second, at: "01-02") == Self.ben)
        #expect(Self.place(for: .alice, asCustomer: true, in: &second, at: "01-05") == Self.ben)
        for world in [first, second] {
            #expect(world.segments(of: Self.ben) == ["sub 01-01..02-01"])
            #expect(world.status(of: .alice, at: "01-10").entitlements.isEmpty)
            #expect(world.owners[Self.month.key] == Self.ben)
        }
        #expect(first.ledger(of: .alice).entries.map(\.fact.kindText) == ["state", "bound", "gave_away"])
        #expect(first.segments(of: .alice, knownAt: "01-04") == ["sub 01-01..02-01"], "what was known then stays")
        #expect(second.ledger(of: .alice).entries.isEmpty)
    }

    @Test func `who was named by an event keeps it, whatever else names them or others`() {
        var world = Self.world()
        #expect(Self.place(for: .alice, asCustomer: true, in: &world, at: "01-02") == .alice)
        #expect(Self.place(for: .alice, in: &world, at: "01-03") == .alice)
        let ledger = world.ledger(of: .alice)
        #expect(ledger.entries.map(\.fact.kindText) == ["state", "bound", "bound"])
        #expect(Self.place(for: .alice, in: &world, at: "01-04") == .alice, "named once is enough")
        #expect(Self.place(for: Self.ben, in: &world, at: "01-05") == .alice)
        #expect(Self.place(for: Self.ben, asCustomer: true, in: &world, at: "01-06") == .alice)
        #expect(Self.place(for: nil, in: &world, at: "01-07") == .alice)
        #expect(world.ledger(of: .alice) == ledger && world.ledger(of: Self.ben).entries.isEmpty)
        #expect(world.segments(of: .alice) == ["sub 01-01..02-01"])
    }

    @Test func `one customer takes nothing from another, and nobody from who got it by an operator`() {
        var world = Self.world()
        #expect(Self.place(for: .alice, asCustomer: true, in: &world, at: "01-02") == .alice)
        #expect(Self.place(for: Self.ben, asCustomer: true, in: &world, at: "01-03") == .alice)
        world.move("sub", from: .alice, to: "carl", at: "01-10")
        #expect(Self.place(for: Self.ben, in: &world, at: "01-11") == "carl")
        #expect(
            world.segments(of: .alice) == ["sub 01-01..01-10"] && world.segments(of: "carl") == ["sub 01-10..02-01"])
        world.erase("carl", as: 9)
        #expect(Self.place(for: Self.ben, in: &world, at: "01-12") == .erased(pseudonym: 9))
    }

    @Test func `what was bought once stays with its customer, who may have used it`() {
        var world = World()
        let pass = VerifiedPurchase.state(of: "p", at: "01-01")
        world.record(pass, at: "01-01")
        #expect(Self.place(for: .alice, asCustomer: true, pass, in: &world, at: "01-02") == .alice)
        #expect(Self.place(for: Self.ben, pass, in: &world, at: "01-05") == .alice)
        #expect(world.segments(of: .alice) == ["p 01-01..01-31"])
    }

    @Test func `what an erased customer had stays where it is, and an erased person gets nothing`() {
        var world = Self.world()
        #expect(Self.place(for: .erased(pseudonym: 3), in: &world, at: "01-02") == nil)
        #expect(Self.place(for: .alice, asCustomer: true, in: &world, at: "01-02") == .alice)
        #expect(Self.place(for: .erased(pseudonym: 3), in: &world, at: "01-03") == .alice)
        world.erase(.alice, as: 7)
        #expect(Self.place(for: Self.ben, in: &world, at: "01-04") == .erased(pseudonym: 7))
    }
}
