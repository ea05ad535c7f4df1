import Entitlements
import Testing

/// Whose a card purchase is, by what its events and its customer say (`semantics.md` §7, "Cards").
struct PlaceNamedPurchaseTests {
    private static let ben: UserID = "ben"
    private static let month = VerifiedPurchase.state(of: "sub", .proMonthly, .plan, at: "01-01", until: "02-01")

    private static func place(for user: UserID?, in world: inout World, at now: Instant) -> UserID? {
        let place = PlaceNamedPurchase(month.key, for: user)
        return world.apply(place.decide(given: world.history(at: now)), at: now).get()
    }

    private static func world() -> World {
        var world = World()
        world.record(month, at: "01-01")
        return world
    }

    @Test func `who was named first keeps it, whatever else names them or others`() {
        var world = Self.world()
        #expect(Self.place(for: nil, in: &world, at: "01-01") == nil)
        #expect(Self.place(for: .alice, in: &world, at: "01-02") == .alice)
        let ledger = world.ledger(of: .alice)
        #expect(ledger.entries.map(\.fact.kindText) == ["state", "bound"])
        #expect(Self.place(for: .alice, in: &world, at: "01-04") == .alice, "named once is enough")
        #expect(Self.place(for: Self.ben, in: &world, at: "01-05") == .alice)
        #expect(Self.place(for: nil, in: &world, at: "01-07") == .alice)
        #expect(world.ledger(of: .alice) == ledger && world.ledger(of: Self.ben).entries.isEmpty)
        #expect(world.segments(of: .alice) == ["sub 01-01..02-01"])
    }

    @Test func `what an operator moved stays with whom has it, and with them when they are erased`() {
        var world = Self.world()
        #expect(Self.place(for: .alice, in: &world, at: "01-02") == .alice)
        world.move("sub", from: .alice, to: "carl", at: "01-10")
        #expect(Self.place(for: Self.ben, in: &world, at: "01-11") == "carl")
        world.erase("carl", as: 9)
        #expect(Self.place(for: Self.ben, in: &world, at: "01-12") == .erased(pseudonym: 9))
    }

    @Test func `an erased person gets nothing`() {
        var world = Self.world()
        #expect(Self.place(for: .erased(pseudonym: 3), in: &world, at: "01-02") == nil)
        #expect(Self.place(for: Self.ben, in: &world, at: "01-03") == Self.ben)
    }
}
