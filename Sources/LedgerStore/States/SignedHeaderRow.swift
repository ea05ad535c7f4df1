import Entitlements
import MariaDB

/// A row of `signed_headers`: the header that many signed texts share.
enum SignedHeaderRow {
    private static let insert = SQLStatement(
        "keep header",
        """
        INSERT INTO signed_headers (header_hash, header) VALUES (?, ?)
        ON DUPLICATE KEY UPDATE id = id
        RETURNING id
        """)

    /// The id of the header's row, which is inserted if there is none; nil only if the database returns no row.
    /// `beginning` is the header's text. Throws when the database refuses the statement or is away.
    static func insert(
        _ header: SignedText.Header, beginning: String, in session: Session
    ) throws(DatabaseError) -> UInt64? {
        try session.query(insert, [.bytes(header.digest), .text(beginning)]).first?.uint64(0)
    }
}
