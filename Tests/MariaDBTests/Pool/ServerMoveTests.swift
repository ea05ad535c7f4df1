import MariaDB
import Support
import Testing

/// A pool over several servers: all its connections lead to one of them.
@Suite struct ServerMoveTests {
    private static let kill = SQLStatement("kill", "KILL CONNECTION_ID()")

    /// Two servers with a database of the same name, and the settings that name both in order.
    private static func servers() async throws -> (first: PrivateMariaDB, second: PrivateMariaDB, ConnectionSettings) {
        var options = PrivateMariaDB.Options()
        (options.listensOnLoopback, options.skipsGrants) = (true, true)
        let (first, second) = (try PrivateMariaDB.start(options), try PrivateMariaDB.start(options))
        var settings = first.settings(database: nil)
        settings.endpoints = [first, second].map { .tcp(host: "127.0.0.1", port: $0.port) }
        return (first, second, settings)
    }

    private static func name(_ pool: Pool) async throws -> String {
        try await pool.with { (session) throws(DatabaseError) in session.serverName }
    }

    /// Ends a connection of the pool, so that the next unit opens another.
    private static func loseConnection(_ pool: Pool) async throws {
        await #expect(throws: DatabaseError.self) {
            try await pool.with { (session) throws(DatabaseError) in try session.run(kill) }
        }
    }

    @Test func `a pool stays with the server that it moved to when the preferred one is back`() async throws {
        let (first, second, settings) = try await Self.servers()
        defer { second.kill() }
        try await TestPool.with(settings, limits: TestPool.limits(1)) { pool in
            #expect(try await Self.name(pool).hasSuffix(":\(first.port)"))
            first.kill()
            #expect(try await Self.name(pool).hasSuffix(":\(second.port)"))
            try first.boot()
            for _ in 0..<3 {
                try await Self.loseConnection(pool)
                #expect(try await Self.name(pool).hasSuffix(":\(second.port)"))
            }
        }
        first.kill()
    }

    @Test func `when a new connection leads to another server, the earlier ones are dropped`() async throws {
        let (first, second, settings) = try await Self.servers()
        defer { [first, second].forEach { $0.kill() } }
        try await TestPool.with(settings, limits: TestPool.limits(2)) { pool in
            // The connection that is open may write all the same, because its account may do anything.
            try await pool.with { (session) throws(DatabaseError) in
                #expect(session.serverName.hasSuffix(":\(first.port)"))
                try session.run(SQLStatement("readOnly", "SET GLOBAL read_only = 1"))
            }
            let barrier = Barrier(of: 2)
            let unit: @Sendable (Session) throws(DatabaseError) -> String = { session in
                barrier.arriveAndWait()
                return session.serverName
            }
            async let one = pool.with(unit)
            let other = try await pool.with(unit)
            let (earlier, later) = (":\(first.port)", ":\(second.port)")
            #expect(Set([try await one, other].map { $0.hasSuffix(earlier) ? earlier : later }) == [earlier, later])
            for _ in 0..<4 { #expect(try await Self.name(pool).hasSuffix(later)) }
        }
    }
}
