package import Entitlements
import MariaDB

/// A literal replay: a signed text that was verified before and is sent again, byte for byte (`semantics.md` §5).
package struct Replay: Hashable, Sendable {
    /// The owner of the purchase that the text shows; nil if nobody has it.
    package let owner: UserID?

    /// The statement in the row that was found by the text's digest.
    private let statement: String

    /// A replay of a text that shows `state`.
    package init(of state: VerifiedPurchase, owner: UserID?) {
        self.owner = owner
        statement = StatementContent.of(.purchase(state)).json
    }

    private init(_ row: Row) throws(DatabaseError) {
        owner = try row.isNull(1) ? nil : UserRow.user(row, at: 2, pseudonym: 1)
        statement = try row.text(3)
    }

    /// True if the row has the same statement as the text. An edited digest could lead to the row of another text.
    package func shows(_ state: VerifiedPurchase) -> Bool { statement == StatementContent.of(.purchase(state)).json }

    private static let byHash = SQLStatement(
        "find replays",
        """
        SELECT t.jws_hash, u.pseudonym, u.user_id, t.statement
        FROM JSON_TABLE(?, '$[*]' COLUMNS (hash VARCHAR(64) CHARACTER SET ascii PATH '$')) j
        STRAIGHT_JOIN apple_iap_transactions t ON t.jws_hash = UNHEX(j.hash)
        STRAIGHT_JOIN purchases p ON p.id = t.purchase_id
        LEFT JOIN users u ON u.pseudonym = p.user_id
        """)

    /// The replays by SHA-256 digest: the texts with these digests that were verified before. Read without a lock.
    static func find(_ digests: Set<[UInt8]>, in session: Session) throws(DatabaseError) -> [[UInt8]: Replay] {
        guard !digests.isEmpty else { return [:] }
        var array = JSONArray()
        for digest in digests { array.append(Hexadecimal.text(digest)) }
        var replays: [[UInt8]: Replay] = [:]
        for row in try session.query(byHash, [.text(array.closed)]) { replays[try row.bytes(0)] = try Replay(row) }
        return replays
    }
}
