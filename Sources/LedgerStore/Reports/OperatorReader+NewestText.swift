package import Entitlements
import MariaDB

/// The signed text of the App Store that was recorded last, of those that are still kept.
package struct NewestSignedText: Hashable, Sendable {
    package let recordedAt: Instant
    /// The first segment of the JWS, which holds the certificates.
    package let header: String
}

extension OperatorReader {
    private static let newestText = SQLStatement(
        "read newest text",
        """
        SELECT t.recorded_at, SUBSTRING_INDEX(CONCAT(COALESCE(h.header, ''), s.jws), '.', 1)
        FROM (SELECT MAX(state_id) AS state_id FROM signed_texts) m
        STRAIGHT_JOIN signed_texts s ON s.state_id = m.state_id
        STRAIGHT_JOIN apple_iap_transactions t ON t.id = s.state_id
        LEFT JOIN signed_headers h ON h.id = s.header_id
        """)

    /// The newest signed text; nil while none is kept. Throws when the database is away.
    package func newestSignedText() async throws(ServiceFailure) -> NewestSignedText? {
        try await pool.ask { (session) throws(DatabaseError) in
            try session.query(Self.newestText, []) { (row) throws(DatabaseError) in
                NewestSignedText(recordedAt: Instant(milliseconds: try row.int64(0)), header: try row.text(1))
            }.first
        }
    }
}
