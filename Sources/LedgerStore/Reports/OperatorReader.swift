package import Entitlements
package import MariaDB

/// Reads across users, for servers and operators.
package struct OperatorReader: Sendable {
    /// The longest text that anything is found by.
    package static let maximumQueryLength = 255
    /// How many things one search finds at most.
    package static let maximumFound = 100
    /// How many rows are gone over at once for those that are looked for.
    package static let rowsGoneOver = 5_000

    let pool: Pool

    package init(pool: Pool) {
        self.pool = pool
    }

    /// A page of deliveries, of those only that came to `result` and for `reason` if these are given, the last received
    /// first. Throws when the database is away.
    package func deliveries(
        before id: UInt64?, limit: Int, of result: DeliveryResult?, because reason: DeliveryReason? = nil
    ) async throws(ServiceFailure) -> [RecordedDelivery] {
        try await pool.ask { (session) throws(DatabaseError) in
            try InboxDeliveryRow.page(before: id ?? .max, limit: limit, of: result, because: reason, in: session)
        }
    }

    /// The audit trail, newest first. Throws when the database is away.
    package func auditEntries(before id: UInt64?, limit: Int) async throws(ServiceFailure) -> [AuditEntry] {
        try await AuditTrail.page(before: id, limit: limit, from: pool)
    }

    /// A page of what `read` finds from before a number down to a floor, the highest number first. Throws when the
    /// database is away.
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
