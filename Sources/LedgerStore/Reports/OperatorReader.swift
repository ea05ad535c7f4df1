package import Entitlements
package import MariaDB

/// The lists and searches across all users, for operators and servers.
package struct OperatorReader: Sendable {
    /// The longest text, in bytes, that a search accepts.
    package static let maximumQueryLength = 255
    /// The most results of one search.
    package static let maximumFound = 100
    /// The most rows that one page looks at, however few of them it returns.
    package static let rowsGoneOver = 5_000

    let pool: Pool

    package init(pool: Pool) {
        self.pool = pool
    }

    /// Up to `limit` deliveries with ids below `id`, the last received first. If `result` or `reason` is given, only
    /// deliveries with that result or reason. Throws when the database is away.
    package func deliveries(
        before id: UInt64?, limit: Int, of result: DeliveryResult?, because reason: DeliveryReason? = nil
    ) async throws(ServiceFailure) -> [RecordedDelivery] {
        try await pool.ask { (session) throws(DatabaseError) in
            try InboxDeliveryRow.page(before: id ?? .max, limit: limit, of: result, because: reason, in: session)
        }
    }

    /// Up to `limit` entries of the audit trail with ids below `id`, the newest first. Throws when the database is
    /// away.
    package func auditEntries(before id: UInt64?, limit: Int) async throws(ServiceFailure) -> [AuditEntry] {
        try await AuditTrail.page(before: id, limit: limit, from: pool)
    }

    /// A page of the rows that `read` returns for a range of numbers: below `id`, and not below the floor. The highest
    /// number comes first. Throws when the database is away.
    func page<Row>(
        _ floor: RowFloor, before id: UInt64?, limit: Int, number: (Row) -> UInt64,
        _ read: @escaping @Sendable (UInt64, UInt64, Session) throws(DatabaseError) -> [Row]
    ) async throws(ServiceFailure) -> ListPage<Row> {
        let id = id ?? .max
        let (rows, floor) = try await pool.ask { (session) throws(DatabaseError) in
            let floor = try floor.number(before: id, rows: Self.rowsGoneOver, in: session)
            return (try read(id, floor ?? 0, session), floor)
        }
        return ListPage(rows: rows, next: rows.count == limit ? rows.last.map(number) : floor)
    }
}
