import MariaDB

extension OperatorReader {
    /// Up to `limit` jobs of a state with ids below `id`, the last added first. Throws when the database is away.
    package func jobs(
        _ state: RecordedJob.State, before id: UInt64?, limit: Int
    ) async throws(ServiceFailure) -> ListPage<RecordedJob> {
        try await page(.jobs, before: id, limit: limit, number: \.id) { (id, floor, session) throws(DatabaseError) in
            try JobRow.page(state, before: id, from: floor, limit: limit, in: session)
        }
    }
}
