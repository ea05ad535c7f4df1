import Logging
package import MariaDB

extension Pool {
    /// Runs `body` with a running pool; the pool is shut down and drained before this returns. Throws what `body`
    /// throws.
    package static func running<T: Sendable>(
        _ settings: ConnectionSettings, maxConnections: Int = 4, _ body: @Sendable (Pool) async throws -> T
    ) async throws -> T {
        var limits = PoolLimits()
        limits.maxConnections = maxConnections
        // Many tests share the disk.
        limits.waitTimeout = .seconds(60)
        let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let pool = Pool(settings, limits: limits, surroundings: .real, logger: quiet)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await pool.run() }
            defer { pool.shutDown() }
            return try await body(pool)
        }
    }
}
