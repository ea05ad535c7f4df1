import Entitlements
import MariaDB
import Synchronization

/// A cache of the rows of `signed_headers`: a header is most of a signed text, and few keys sign all texts.
final class SignedHeaders: Sendable {
    /// How many rows are cached.
    private static let capacity = 256

    private let known = Mutex(BoundedCache<SignedText.Header, UInt64>(capacity: capacity))

    /// The rows of the headers of `texts`, made where there is none, in a transaction of their own: a header is no
    /// fact, and one that nothing refers to does no harm. Throws when the database is away.
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
