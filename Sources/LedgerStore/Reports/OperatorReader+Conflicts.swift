package import Entitlements
import MariaDB

/// An Apple account whose purchases belong to several users, or are claimed by another one who proved the account. Each
/// app has another id for the same account.
package struct AccountConflict: Hashable, Sendable {
    /// A user who has purchases of the account now, or claims some.
    package struct Owner: Hashable, Sendable {
        /// The user; nil once erased.
        package let user: UserID?
        /// The number of the account's purchases that the user has; a chain counts as one.
        package let purchases: Int
        /// The number of the account's purchases that were refused to the user, who proved the account, and that the
        /// user does not have now.
        package fileprivate(set) var refusedClaims = 0
    }

    /// The row id of the account's last recorded state.
    package let id: UInt64
    package let account: Label
    package let app: AppID
    package let environment: StoreEnvironment
    /// The owners, in the order in which this server first saw them, then those who only claim.
    package fileprivate(set) var owners: [Owner]
}

extension OperatorReader {
    private static let sameAccount = "app_transaction_id = w.account AND app = w.app AND environment = w.environment"

    /// Lists accounts that have several owners or a refused claim. For each account it compares only the lowest and the
    /// highest pseudonym, and reads all owners only if these differ or if there is a claim.
    private static let conflicts = SQLStatement(
        "list conflicts",
        """
        SELECT c.newest, c.account, c.app, c.environment, u.user_id, COUNT(DISTINCT o.purchase_id)
        FROM (
            SELECT w.newest, w.account, w.app, w.environment
            FROM (
                SELECT MAX(id) newest, app_transaction_id account, app, environment
                FROM apple_iap_transactions FORCE INDEX (PRIMARY)
                WHERE id < ? AND id >= ? AND app_transaction_id IS NOT NULL
                GROUP BY app_transaction_id, app, environment) w
            WHERE ((
                    SELECT user_id FROM apple_iap_transactions FORCE INDEX (by_account)
                    WHERE \(sameAccount) AND user_id IS NOT NULL ORDER BY user_id LIMIT 1)
                < (
                    SELECT user_id FROM apple_iap_transactions FORCE INDEX (by_account)
                    WHERE \(sameAccount) ORDER BY user_id DESC LIMIT 1)
                OR EXISTS (
                    SELECT 1 FROM refused_claims r
                    WHERE r.account = w.account AND r.app = w.app AND r.environment = w.environment))
                AND (
                    SELECT 1 FROM apple_iap_transactions FORCE INDEX (by_account)
                    WHERE \(sameAccount) AND id >= ? LIMIT 1) IS NULL
            ORDER BY w.newest DESC LIMIT ?) c
        LEFT JOIN apple_iap_transactions o FORCE INDEX (by_account) ON o.app_transaction_id = c.account
            AND o.app = c.app AND o.environment = c.environment AND o.user_id IS NOT NULL
        LEFT JOIN users u ON u.pseudonym = o.user_id
        GROUP BY c.newest, o.user_id
        ORDER BY c.newest DESC, o.user_id
        """)

    /// Up to `limit` Apple accounts whose purchases belong to several users or are claimed by another one, the last
    /// recorded first. Accounts with a state recorded at `id` or later are left out; earlier pages have them. Throws
    /// when the database is away.
    package func conflicts(before id: UInt64?, limit: Int) async throws(ServiceFailure) -> ListPage<AccountConflict> {
        // An account with only one owner who is not erased is no conflict, but it counts towards the page's limit.
        let found = try await page(.states, before: id, limit: limit, number: \.id) {
            (id, floor, session) throws(DatabaseError) in
            var conflicts: [AccountConflict] = []
            for row in try session.query(
                Self.conflicts, [.uint64(id), .uint64(floor), .uint64(id), Value(limit)])
            {
                let newest = try row.uint64(0)
                if conflicts.last?.id != newest { conflicts.append(try Self.conflict(row, newest: newest)) }
                let owner = try AccountConflict.Owner(
                    user: row.optionalText(4).flatMap { UserID($0) }, purchases: row.int(5))
                if owner.purchases > 0 { conflicts[conflicts.count - 1].owners.append(owner) }
            }
            for index in conflicts.indices {
                for claimant in try RefusedClaimRow.claimants(of: conflicts[index], in: session) {
                    conflicts[index].add(claimant.user, refused: claimant.purchases)
                }
            }
            return conflicts
        }
        return ListPage(rows: found.rows.filter(\.isOpen), next: found.next)
    }

    private static func conflict(_ row: Row, newest: UInt64) throws(DatabaseError) -> AccountConflict {
        guard let environment = StoreEnvironment(rawValue: try row.text(3)) else { throw row.malformed(3) }
        return AccountConflict(
            id: newest, account: Label(try row.text(1)), app: AppID(try row.text(2)),
            environment: environment, owners: [])
    }
}

extension AccountConflict {
    /// True if several users who are not erased have purchases of the account, or if a claim is refused.
    fileprivate var isOpen: Bool {
        owners.count { $0.user != nil } > 1 || owners.contains { $0.refusedClaims > 0 }
    }

    fileprivate mutating func add(_ claimant: UserID, refused: Int) {
        let index = owners.firstIndex { $0.user == claimant } ?? owners.endIndex
        if index == owners.endIndex { owners.append(Owner(user: claimant, purchases: 0)) }
        owners[index].refusedClaims = refused
    }
}
