import Entitlements
import Testing

/// An operator binds what no living person has (`semantics.md` §5).
struct BindPurchaseTests {
    private static let bob: UserID = "bob"
    private static let pass = VerifiedPurchase.state(of: "p", at: "01-01", account: "A")
    private static let note = Note(actor: "till", reason: "showed the receipt", reference: nil)

    private static func bind(
        _ key: PurchaseKey, to user: UserID = bob, in realm: inout Realm, at now: Instant
    ) -> Result<PurchaseKey, BindRefusal> {
        realm.apply(
            BindPurchase(key, to: user, note: note, in: .example).decide(given: realm.history(at: now)), at: now)
    }

    @Test func `what was recorded and nobody has becomes the user's, with who bound it and why, once`() {
        var realm = Realm()
        realm.record(Self.pass, at: "01-02")
        #expect(Self.bind(Self.pass.key, in: &realm, at: "01-03") == .success(Self.pass.key))
        #expect(realm.segments(of: Self.bob) == ["p 01-01..01-31"])
        let entries = realm.ledger(of: Self.bob).entries
        #expect(
            entries.map(\.fact.kindText) == ["state", "bound"]
                && entries.map(\.note) == [nil, NoteDigest(of: Self.note)])
        #expect(Self.bind(Self.pass.key, in: &realm, at: "01-04") == .success(Self.pass.key))
        #expect(realm.ledger(of: Self.bob).entries == entries)
    }

    @Test func `the rest of what an erased person had goes to the user`() {
        var realm = Realm()
        realm.attach(Self.pass, to: .alice, at: "01-01")
        realm.erase(.alice, as: 7)
        #expect(Self.bind(Self.pass.key, in: &realm, at: "01-11") == .success(Self.pass.key))
        #expect(realm.segments(of: Self.bob) == ["p 01-11..01-31"])
        #expect(realm.segments(of: .erased(pseudonym: 7)) == ["p 01-01..01-11"])
        #expect(realm.ledger(of: Self.bob).entries.last?.note == NoteDigest(of: Self.note))
    }

    @Test func `what somebody living has, and what was never seen, is not bound`() {
        var realm = Realm()
        realm.attach(Self.pass, to: .alice, at: "01-01")
        let before = realm.ledgers
        #expect(Self.bind(Self.pass.key, in: &realm, at: "01-02") == .failure(.ownedByAnotherUser))
        #expect(Self.bind(.pass("q"), in: &realm, at: "01-02") == .failure(.unknownPurchase))
        #expect(realm.ledgers == before)
    }
}
