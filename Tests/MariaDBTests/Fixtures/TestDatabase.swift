import MariaDB
import Support

/// A connection to a schema of the test's own.
enum TestDatabase {
    /// Runs `body` on a fresh connection to a fresh schema.
    static func with<T: Sendable>(
        _ body: @Sendable (Session) throws(DatabaseError) -> T
    ) async throws -> T {
        let connection = try await Connection.open(PrivateMariaDB.shared.freshDatabase())
        do {
            let result = try await connection.with(body)
            await connection.close()
            return result
        } catch {
            await connection.close()
            throw error
        }
    }
}
