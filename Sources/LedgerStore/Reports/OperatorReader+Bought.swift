package import Entitlements
import MariaDB

/// A product under the names that its store gives it, and the number of its recent purchases.
package struct BoughtProduct: Hashable, Sendable {
    /// The names in the order in which the catalogue is asked for them; never empty.
    package let names: [ProductID]
    /// The source, the app and the environment.
    package let space: NumberSpace
    /// The number of purchases, each counted once however often it was stated.
    package let purchases: Int
}

extension OperatorReader {
    /// The most rows of purchases and of signed states that ``boughtProducts(since:at:)`` goes over, the newest first.
    package static let newestBought = 50_000

    private static let signedProducts = SQLStatement(
        "count bought products",
        """
        SELECT app, environment, product_id, COUNT(DISTINCT purchase_id)
        FROM apple_iap_transactions FORCE INDEX (PRIMARY)
        WHERE id >= ? AND purchase_at >= ?
        GROUP BY app, environment, product_id
        """)

    /// Reads the states of other sources, which stand in ledgers alone, of purchases that give no time now.
    private static let otherStates = SQLStatement(
        "read states of bought products",
        """
        SELECT p.id, l.content
        FROM purchases p FORCE INDEX (PRIMARY)
        LEFT JOIN subscriptions s ON s.user_id = p.user_id AND s.purchase_id = p.id AND s.expires_at >= ?
        STRAIGHT_JOIN ledger_entries l ON l.user_id = p.user_id AND l.purchase_id = p.id
        WHERE p.id >= ? AND p.source NOT IN ('apple_iap', 'manual') AND s.purchase_id IS NULL
            AND l.kind = '\(FactKind.purchaseState.rawValue)' AND l.effective_at >= ?
        """)

    /// The products of what was bought since `start`, in the order of their names. Of sources other than the App Store,
    /// purchases that give time now are left out: the catalogue knows them. Throws when the database is away.
    package func boughtProducts(
        since start: Instant, at now: Instant
    ) async throws(ServiceFailure) -> [BoughtProduct] {
        let products = try await pool.ask { (session) throws(DatabaseError) in
            try Self.signed(since: start, in: session) + Self.others(since: start, at: now, in: session)
        }
        return products.sorted { $0.names.lexicographicallyPrecedes($1.names) }
    }

    private static func signed(since start: Instant, in session: Session) throws(DatabaseError) -> [BoughtProduct] {
        let floor = try RowFloor.states.number(before: .max, rows: newestBought, in: session) ?? 0
        return try session.query(signedProducts, [.uint64(floor), .int64(start.milliseconds)]) {
            (row) throws(DatabaseError) in
            guard let environment = StoreEnvironment(rawValue: try row.text(1)) else { throw row.malformed(1) }
            let space = NumberSpace(source: .appleIAP, app: AppID(try row.text(0)), environment: environment)
            return BoughtProduct(names: [ProductID(try row.text(2))], space: space, purchases: try row.int(3))
        }
    }

    private static func others(
        since start: Instant, at now: Instant, in session: Session
    ) throws(DatabaseError) -> [BoughtProduct] {
        let floor = try RowFloor.purchases.number(before: .max, rows: newestBought, in: session) ?? 0
        var purchases: [NumberSpace: [[ProductID]: Set<UInt64>]] = [:]
        for row in try session.query(
            otherStates, [.int64(now.milliseconds), .uint64(floor), .int64(start.milliseconds)])
        {
            guard case .list(let fields)? = JSONField(json: try row.text(1)),
                let state = FactContent.read(fields, of: .purchaseState)?.state
            else { throw row.malformed(1) }
            // A bill names its price alone. The state of the period that it pays has all names.
            guard !state.isOfBill, state.purchasedAt >= start else { continue }
            let key = state.key
            let space = NumberSpace(source: key.source, app: key.app, environment: key.environment)
            purchases[space, default: [:]][state.productNames, default: []].insert(try row.uint64(0))
        }
        return purchases.flatMap { space, named in
            named.map { BoughtProduct(names: $0, space: space, purchases: $1.count) }
        }
    }
}
