import Entitlements
import MariaDB
import Synchronization

/// A cache of the rows of `signed_headers`. A header is most of a signed text, and few signing keys sign all texts.
final class SignedHeaders: Sendable {
    /// The most rows in the cache.
    private static let capacity = 256

    private let known = Mutex(BoundedCache<SignedText.Header, UInt64>(capacity: capacity))

    /// The row ids of the headers of `texts`. Missing rows are inserted in a transaction of their own: a header is no
    /// fact, so a row to which nothing refers does no harm. Throws when the database is away.
    func rows(of texts: [SignedText], in pool: Pool) async throws(ServiceFailure) -> [SignedText.Header: UInt64] {
        var rows: [SignedText.Header: UInt64] = [:]
        for text in texts where rows[text.header] == nil {
            let header = text.header
            if let row = known.withLock({ $0[header] }) {
                rows[header] = row
                continue
            }
            let row = try await pool.commit { (session) throws(DatabaseError) in
                try SignedHeaderRow.insert(header, beginning: text.beginning, in: session)
            }
            guard let row else { continue }
            known.withLock { $0[header] = row }
            rows[header] = row
        }
        return rows
    }
}
