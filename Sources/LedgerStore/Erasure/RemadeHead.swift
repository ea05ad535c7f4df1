import Entitlements
import MariaDB

/// What the audit trail says of a ledger's chain that an erasure made anew: how many entries, and where it leads. So a chain that
/// somebody else made anew is noticed, though it leads to its head.
///
/// The hash of before is a tombstone, because whoever guesses a number could tell by it; who kept a head from before can show
/// by the server's key that it was this one.
enum RemadeHead {
    private static let member = "ledgers"
    /// As many as anybody reads.
    private static let maximum = 300

    private static let unknown = Statement(
        "find ledgers made anew",
        """
        SELECT r.id, r.pseudonym
        FROM (
            SELECT e.id, j.pseudonym, j.length, j.hash,
                ROW_NUMBER() OVER (PARTITION BY j.pseudonym ORDER BY e.id DESC) newest
            FROM audit_entries e FORCE INDEX (by_action)
            STRAIGHT_JOIN audit_notes n ON n.entry_id = e.id
            STRAIGHT_JOIN JSON_TABLE(JSON_VALUE(n.details, '$.\(member)'), '$[*]' COLUMNS (
                pseudonym BIGINT UNSIGNED PATH '$[0]', length BIGINT UNSIGNED PATH '$[1]',
                hash VARCHAR(64) CHARACTER SET ascii PATH '$[3]')) j
            WHERE e.action = ?) r
        WHERE r.newest = 1 AND NOT EXISTS (
            SELECT 1 FROM ledger_entries l WHERE l.user_id = r.pseudonym AND l.seq = r.length AND l.hash = UNHEX(r.hash))
        ORDER BY r.id, r.pseudonym LIMIT ?
        """)

    /// The details of the audit entry of an erasure.
    static func details(of ledgers: [RemadeChains.Ledger], under key: TombstoneKey) -> [String: String] {
        guard !ledgers.isEmpty else { return [:] }
        let heads = ledgers.prefix(maximum).map { ledger in
            JSONField.list([
                JSONField(ledger.pseudonym), JSONField(ledger.length),
                .text(Hexadecimal.text(key.tombstone(ofDigest: ledger.before))), .text(Hexadecimal.text(ledger.after)),
            ])
        }
        return [member: JSONField.list(heads).json]
    }

    /// The ledgers that do not lead through the hash which their newest erasure gave them, and the entries of the trail that say
    /// so; all as of one instant. Throws when the database is away.
    static func unknown(
        limit: Int, in session: Session
    ) throws(DatabaseError) -> [(entry: UInt64, pseudonym: UInt64)] {
        try session.query(unknown, [.text(AuditAction.erase.text), Value(limit)]) { (row) throws(DatabaseError) in
            (try row.uint64(0), try row.uint64(1))
        }
    }
}
