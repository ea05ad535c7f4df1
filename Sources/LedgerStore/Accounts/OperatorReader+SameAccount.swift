package import Entitlements
import MariaDB

extension OperatorReader {
    private static let sameAccounts = SQLStatement(
        "find users of accounts",
        """
        SELECT DISTINCT u.user_id
        FROM \(DeliveryMentionRow.bound)
        STRAIGHT_JOIN apple_iap_transactions o FORCE INDEX (by_account) ON o.app_transaction_id = j.mention
            AND o.user_id IS NOT NULL
        STRAIGHT_JOIN users u ON u.pseudonym = o.user_id
        WHERE u.user_id IS NOT NULL
        LIMIT ?
        """)

    /// Up to `limit` users who have purchases of these Apple accounts, without erased people. Throws when the database
    /// is away.
    package func users(
        ofAccounts accounts: Set<Label>, limit: Int
    ) async throws(ServiceFailure) -> [UserID] {
        guard !accounts.isEmpty else { return [] }
        let names = JSONArray(accounts.map(\.text).sorted()).closed
        return try await pool.ask { (session) throws(DatabaseError) in
            try session.query(Self.sameAccounts, [.text(names), Value(limit)]) { (row) throws(DatabaseError) in
                guard let user = UserID(try row.text(0)) else { throw row.malformed(0) }
                return user
            }
        }
    }
}
