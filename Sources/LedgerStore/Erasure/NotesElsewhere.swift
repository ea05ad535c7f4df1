import Entitlements
import MariaDB

/// The notes about a person that stand in other people's ledgers: those of facts that were made while the person had a purchase
/// and went along with it, and the other half of each handover of theirs.
///
/// Found while the purchases are locked, so that none is on its way to somebody else.
struct NotesElsewhere {
    /// What two entries about the same have in common, whosever ledgers they stand in.
    private struct Words: Hashable {
        let purchase: UInt64
        let kind: FactKind
        let effectiveAt: Int64
        let content: String?
        let note: String
    }

    private static let own = Statement(
        "read notes to erase",
        """
        SELECT purchase_id, kind, effective_at, content, note, user_id, seq FROM ledger_entries
        WHERE user_id = ? AND purchase_id IS NOT NULL ORDER BY seq
        """)

    private static let others = Statement(
        "read notes elsewhere",
        """
        SELECT l.purchase_id, l.kind, l.effective_at, l.content, l.note, l.user_id, l.seq
        FROM (
            SELECT h.user_id FROM purchases p STRAIGHT_JOIN purchase_holders h ON h.purchase_id = p.id WHERE p.user_id = ?
            UNION
            SELECT p.user_id FROM purchase_holders e STRAIGHT_JOIN purchases p ON p.id = e.purchase_id WHERE e.user_id = ?
            UNION
            SELECT h.user_id FROM purchase_holders e STRAIGHT_JOIN purchase_holders h ON h.purchase_id = e.purchase_id
            WHERE e.user_id = ?
        ) n STRAIGHT_JOIN ledger_entries l ON l.user_id = n.user_id
        WHERE l.purchase_id IS NOT NULL AND l.note IS NOT NULL
        """)

    private static let erase = Statement(
        "erase note elsewhere", "UPDATE ledger_entries SET note = NULL, note_salt = NULL WHERE user_id = ? AND seq = ?")

    private var words: Set<Words> = []
    /// By purchase, what was said before it is known whether it came along from somebody else.
    private var pending: [UInt64: [Words]] = [:]
    private var held: Set<UInt64> = []

    /// Erases notes and salts; the entries keep the digests that their hashes cover. The person's own notes are still to be
    /// there. Repeat is safe. Throws when the database is away.
    static func erase(of pseudonym: UInt64, in session: Session) throws(DatabaseError) {
        var notes = NotesElsewhere()
        for row in try session.query(own, [.uint64(pseudonym)]) { try notes.read(row) }
        guard !notes.words.isEmpty else { return }
        var found: [[Value]] = []
        for row in try session.query(others, [Value](repeating: .uint64(pseudonym), count: 3)) {
            guard let kind = FactKind(rawValue: try row.text(1)), let words = try words(row, of: kind) else { continue }
            if notes.words.contains(words) { found.append([.uint64(try row.uint64(5)), .uint64(try row.uint64(6))]) }
        }
        try session.executeBulk(erase, found)
    }

    /// The person's entries come in their order: what stands before a purchase was received came along with it, and was said
    /// about whoever had it then.
    private mutating func read(_ row: Row) throws(DatabaseError) {
        guard let kind = FactKind(rawValue: try row.text(1)) else { return }
        let purchase = try row.uint64(0)
        switch kind {
        case .granted, .withdrawn:
            guard let said = try Self.words(row, of: kind) else { return }
            if held.contains(purchase) { words.insert(said) } else { pending[purchase, default: []].append(said) }
        case .bound:
            words.formUnion(pending.removeValue(forKey: purchase) ?? [])
            held.insert(purchase)
        case .received:
            pending[purchase] = nil
            held.insert(purchase)
            if let given = try Self.words(row, of: .gaveAway) { words.insert(given) }
        case .gaveAway:
            held.remove(purchase)
            if let received = try Self.words(row, of: .received) { words.insert(received) }
        case .evidence, .debtLeft, .debtCame, .spent, .reserved, .committed, .released, .deviceRegistered,
            .deviceSuspended,
            .deviceReactivated, .deviceSeen, .deviceRemoved, .sandboxTester, .consumptionConsent:
            break
        }
    }

    /// Nil when nothing is said.
    private static func words(_ row: Row, of kind: FactKind) throws(DatabaseError) -> Words? {
        guard let note = try row.optionalText(4) else { return nil }
        return Words(
            purchase: try row.uint64(0), kind: kind, effectiveAt: try row.int64(2), content: try row.optionalText(3),
            note: note)
    }
}
