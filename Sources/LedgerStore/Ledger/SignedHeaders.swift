import Entitlements
import MariaDB
import Synchronization

/// The rows of the headers of signed texts, kept at hand: a header is most of a text, and few keys sign all of them.
final class SignedHeaders: Sendable {
    /// How many are kept at hand.
    private static let capacity = 256

    private static let insert = SQLStatement(
        "keep header",
        """
        INSERT INTO signed_headers (header_hash, header) VALUES (?, ?)
        ON DUPLICATE KEY UPDATE id = id
        RETURNING id
        """)

    private let known = Mutex(BoundedCache<SignedText.Header, UInt64>(capacity: capacity))

    /// The rows of the headers of `texts`, made where there is none, in a transaction of their own: a header is no fact, and one
    /// that nothing refers to does no harm. Throws when the database is away.
    func rows(of texts: [SignedText], in pool: Pool) async throws(DatabaseError) -> [SignedText.Header: UInt64] {
        var rows: [SignedText.Header: UInt64] = [:]
        for text in texts where rows[text.header] == nil {
            let header = text.header
            if let row = known.withLock({ $0[header] }) {
                rows[header] = row
                continue
            }
            let row = try await pool.transaction { (session) throws(DatabaseError) in
                try session.query(Self.insert, [.bytes(header.digest), .text(text.beginning)]).first?.uint64(0)
            }
            guard let row else { continue }
            known.withLock { $0[header] = row }
            rows[header] = row
        }
        return rows
    }
}
