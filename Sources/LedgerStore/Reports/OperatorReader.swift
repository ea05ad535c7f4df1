package import Entitlements
package import MariaDB

/// The lists and searches across all users, for operators and servers.
package struct OperatorReader: Sendable {
    /// The most rows that one page looks at, however few of them it returns.
    package static let rowsGoneOver = 5_000

    let pool: Pool

    package init(pool: Pool) {
        self.pool = pool
    }

    /// Up to `limit` deliveries that pass the given filters and were received before the delivery `id`, the last
    /// received first. Throws when the database is away.
    ///
    /// - Parameters:
    ///   - start: The first instant of receipt that passes.
    ///   - end: The first instant of receipt after `start` that does not pass.
    ///   - deliveries: The ids of the deliveries to choose from; nil for all.
    package func deliveries(
        before id: UInt64?, limit: Int, of result: DeliveryResult?, because reason: DeliveryReason? = nil,
        from source: Source? = nil, since start: Instant? = nil, until end: Instant? = nil,
        among deliveries: [UInt64]? = nil
    ) async throws(ServiceFailure) -> [RecordedDelivery] {
        try await pool.ask { (session) throws(DatabaseError) in
            try InboxDeliveryRow.page(
                before: id, limit: limit, of: result, because: reason, from: source, since: start, until: end,
                among: deliveries, in: session)
        }
    }

    /// The ids of the deliveries that name `user` or a purchase that the user has; empty for a user who is not known or
    /// erased. Throws when the database is away.
    package func deliveries(
        naming user: UserID, under labels: Labels
    ) async throws(ServiceFailure) -> [UInt64] {
        try await pool.ask { (session) throws(DatabaseError) in
            try PersonDeliveries.find(of: user, under: labels, in: session)
        }
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
