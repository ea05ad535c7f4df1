import Logging
import MariaDB
import Support

/// A pool that runs for the time of a closure.
enum TestPool {
    /// Runs `body` with a running pool; the pool is shut down and drained before this returns.
    static func with<T: Sendable>(
        _ settings: ConnectionSettings, limits: PoolLimits = PoolLimits(), name: String = "pool",
        noteFailure: @escaping @Sendable (DatabaseError, Bool) -> Void = { _, _ in },
        _ body: @Sendable (Pool) async throws -> T
    ) async throws -> T {
        let pool = Pool(
            settings, limits: limits, name: name, surroundings: .real, logger: quiet, noteFailure: noteFailure)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await pool.run() }
            defer { pool.shutDown() }
            return try await body(pool)
        }
    }

    /// A logger that says nothing.
    static let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// Limits for `count` connections at most; a caller waits for long, for many tests share the machine.
    static func limits(_ count: Int, waitTimeout: Duration = .seconds(60)) -> PoolLimits {
        var limits = PoolLimits()
        limits.maxConnections = count
        limits.waitTimeout = waitTimeout
        return limits
    }
}
