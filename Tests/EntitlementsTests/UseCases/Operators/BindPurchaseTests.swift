import Entitlements
import Testing

/// An operator binds what nobody has, and never what an erased person had (`semantics.md` §5).
struct BindPurchaseTests {
    private static let bob: UserID = "bob"
    private static let pass = VerifiedPurchase.state(of: "p", at: "01-01", account: "A")
    private static let note = Note(actor: "till", reason: "showed the receipt", reference: nil)

    private static func bind(
        _ key: PurchaseKey, to user: UserID = bob, in world: inout World, at now: Instant
    ) -> Result<PurchaseKey, OperatorRefusal> {
        world.apply(
            OperatorAct(on: user, note: note).bind(key, given: world.history(at: now)), at: now)
    }

    @Test func `what was recorded and nobody has becomes the user's, with who bound it and why, once`() {
        var world = World()
        world.record(Self.pass, at: "01-02")
        #expect(Self.bind(Self.pass.key, in: &world, at: "01-03") == .success(Self.pass.key))
        #expect(world.segments(of: Self.bob) == ["p 01-01..01-31"])
        let entries = world.ledger(of: Self.bob).entries
        #expect(
            entries.map(\.fact.kindText) == ["state", "bound"]
                && entries.map(\.note) == [nil, NoteDigest(of: Self.note)])
        #expect(Self.bind(Self.pass.key, in: &world, at: "01-04") == .success(Self.pass.key))
        #expect(world.ledger(of: Self.bob).entries == entries)
    }

    @Test func `the rest of what an erased person had stays there, and the same Apple account still claims it`() {
        var world = World()
        world.attach(Self.pass, to: .alice, at: "01-01")
        world.erase(.alice, as: 7)
        let before = world.ledgers
        #expect(Self.bind(Self.pass.key, in: &world, at: "01-11") == .failure(.ownerErased))
        #expect(world.ledgers == before)
        #expect(world.attach(Self.pass, to: Self.bob, proof: "A", at: "01-11") == .success(.transferred))
        #expect(world.segments(of: Self.bob) == ["p 01-11..01-31"])
        #expect(Self.bind(Self.pass.key, in: &world, at: "01-12") == .success(Self.pass.key), "it is the user's")
    }

    @Test func `a grant of an erased person, of which no state is known, stays there too`() {
        var world = World()
        world.apply(
            OperatorAct(on: .alice, note: .support).give(
                .credits(50, unit: "credit"), as: ExternalID("g"), given: world.history(at: "01-01"), in: .example),
            at: "01-01")
        world.erase(.alice, as: 7)
        var history = world.history(at: "01-02")
        let key = PurchaseKey.grant("g")
        let bind = { (history: PurchaseHistory) in
            OperatorAct(on: Self.bob, note: Self.note).bind(key, given: history)
        }
        history.purchases[key] = .init(owner: .erased(pseudonym: 7))
        #expect(bind(history).answer == .failure(.ownerErased))
        #expect(bind(history).moves.isEmpty && bind(history).drafts.isEmpty && bind(history).bindings.isEmpty)
        history.purchases[key] = .init()
        #expect(bind(history).answer == .failure(.unknownPurchase), "nothing is known of it")
    }

    @Test func `what somebody living has, and what was never seen, is not bound`() {
        var world = World()
        world.attach(Self.pass, to: .alice, at: "01-01")
        let before = world.ledgers
        #expect(Self.bind(Self.pass.key, in: &world, at: "01-02") == .failure(.ownedByAnotherUser))
        #expect(Self.bind(.pass("q"), in: &world, at: "01-02") == .failure(.unknownPurchase))
        #expect(world.ledgers == before)
    }
}
