package import Entitlements
import MariaDB

/// A signed state of a transaction, with its owner and the instant of recording.
package struct RecordedTransaction: Hashable, Sendable {
    /// The row's id. A state that was recorded later has a larger one, if one node wrote both.
    package let id: UInt64
    package let state: VerifiedPurchase
    package let owner: UserID?
    package let recordedAt: Instant
    /// The names of JSON members whose values this server could not read. They are shown only; no answer uses them.
    package let unreadable: [String]
}

extension OperatorReader {
    private static let pageOfStates = SQLStatement(
        "list transactions",
        """
        SELECT t.id, t.recorded_at, u.user_id, t.unreadable, t.statement
        FROM (SELECT id FROM apple_iap_transactions WHERE id < ? ORDER BY id DESC LIMIT ?) j
        STRAIGHT_JOIN apple_iap_transactions t ON t.id = j.id
        LEFT JOIN users u ON u.pseudonym = t.user_id
        ORDER BY t.id DESC
        """)

    /// Up to `limit` signed states of transactions with ids below `id`, the last recorded first. Throws when the
    /// database is away.
    package func transactions(
        before id: UInt64?, limit: Int
    ) async throws(ServiceFailure) -> [RecordedTransaction] {
        try await pool.ask { (session) throws(DatabaseError) in
            try session.query(Self.pageOfStates, [.uint64(id ?? .max), Value(limit)]) { (row) throws(DatabaseError) in
                RecordedTransaction(
                    id: try row.uint64(0), state: try StateRow.state(row, 4),
                    owner: try row.optionalText(2).flatMap { UserID($0) },
                    recordedAt: Instant(milliseconds: try row.int64(1)),
                    unreadable: try StateRow.unreadable(row, 3))
            }
        }
    }
}
