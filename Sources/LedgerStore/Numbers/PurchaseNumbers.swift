import Entitlements
package import MariaDB

/// The numbers by which sources speak of purchases.
package struct PurchaseNumbers: Sendable {
    /// A charge leads to a payment, that to an invoice, and that to a subscription.
    private static let longestWay = 4

    private let pool: Pool

    package init(pool: Pool) { self.pool = pool }

    /// The purchases that any of `numbers` lead to, each number through others. What is being written meanwhile is
    /// waited for, so that what looks again after it was parked misses nothing. Throws when the database is away.
    package func find(_ numbers: [String], in space: NumberSpace) async throws(ServiceFailure) -> NumberSearch {
        try await pool.commit { (session) throws(DatabaseError) in
            var transactions: [PurchaseKey: Set<TransactionID>] = [:]
            var whole: Set<PurchaseKey> = []
            var unknown: [String] = []
            var leading: [String] = []
            var next = Set(numbers)
            var seen = next
            for _ in 0..<Self.longestWay where !next.isEmpty {
                let rows = Dictionary(
                    grouping: try PurchaseNumberRow.read(next, in: space, session: session), by: \.number)
                // A payment that is a purchase may also be known to pay an invoice, which then is of none.
                let there = try PurchaseNumberRow.purchases(next.sorted().map(space.key), in: session)
                whole.formUnion(there.keys)
                let others = next.sorted().filter { there[space.key($0)] == nil }
                unknown += others.filter { rows[$0] == nil }
                leading += others.filter { rows[$0] != nil }
                next = []
                for row in rows.values.joined() {
                    if let transaction = row.transaction {
                        transactions[space.key(row.target), default: []].insert(transaction)
                    } else if seen.insert(row.target).inserted {
                        next.insert(row.target)
                    }
                }
            }
            let keys = whole.union(transactions.keys).sorted()
            // As long as nothing is found, what leads on may itself become a purchase.
            if keys.isEmpty { unknown += leading }
            let rows = try PurchaseNumberRow.purchases(keys, in: session)
            let free = rows.values.filter { $0.owner == nil }.map(\.row)
            let waiting = try WaitingStatementRow.load(of: free, in: session)
            return NumberSearch(
                purchases: keys.compactMap { key in
                    rows[key].map { row, owner in
                        NumberedPurchase(
                            key: key, transactions: whole.contains(key) ? nil : transactions[key], owner: owner,
                            waiting: waiting[row]?.compactMap(\.state) ?? [])
                    }
                }, unknown: unknown + keys.filter { rows[$0] == nil }.map(\.externalID.text))
        }
    }
}
