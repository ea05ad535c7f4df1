import Crypto
import MariaDB
import Synchronization

/// The rows of the headers of signed texts, kept at hand: a header is most of a text, and few keys sign all of them.
final class SignedHeaders: Sendable {
    /// How many are kept at hand.
    private static let capacity = 256

    private static let insert = Statement(
        "keep header",
        """
        INSERT INTO signed_headers (header_hash, header) VALUES (?, ?)
        ON DUPLICATE KEY UPDATE id = id
        RETURNING id
        """)

    private let known = Mutex(BoundedCache<Substring, UInt64>(capacity: capacity))

    /// What stands before the first full stop; nil for a text that is no compact JWS.
    static func header(of text: String) -> Substring? {
        text.utf8.firstIndex(of: UInt8(ascii: ".")).map { text[..<$0] }
    }

    /// The rows of the headers of `texts`, made where there is none, in a transaction of their own: a header is no fact, and one
    /// that nothing refers to does no harm. Throws when the database is away.
    func rows(of texts: [String], in pool: Pool) async throws(DatabaseError) -> [Substring: UInt64] {
        var rows: [Substring: UInt64] = [:]
        for header in Set(texts.compactMap(Self.header)) {
            if let row = known.withLock({ $0[header] }) {
                rows[header] = row
                continue
            }
            let hash = Array(SHA256.hash(data: Array(header.utf8)))
            let row = try await pool.transaction { (session) throws(DatabaseError) in
                try session.query(Self.insert, [.bytes(hash), .text(String(header))]).first?.uint64(0)
            }
            guard let row else { continue }
            known.withLock { $0[header] = row }
            rows[header] = row
        }
        return rows
    }
}
