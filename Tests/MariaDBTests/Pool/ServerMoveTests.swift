import MariaDB
import Support
import Testing

/// A pool over several servers: all its connections lead to one of them.
@Suite(.timeLimit(.minutes(20))) struct ServerMoveTests {
    private static let kill = SQLStatement("kill", "KILL CONNECTION_ID()")

    /// Two servers with a database of the same name, and the settings that name both in order.
    private static func servers() async throws -> (first: PrivateMariaDB, second: PrivateMariaDB, ConnectionSettings) {
        var options = PrivateMariaDB.Options()
        (options.listensOnLoopback, options.skipsGrants) = (true, true)
        let (first, second) = (try await PrivateMariaDB.start(options), try await PrivateMariaDB.start(options))
        var settings = first.settings(database: nil)
        settings.endpoints = [first, second].map { .tcp(host: "127.0.0.1", port: $0.port) }
        return (first, second, settings)
    }

    /// A proxy that leads to `server` at first, and the settings that name it alone.
    private static func proxy(
        to server: PrivateMariaDB, _ settings: ConnectionSettings
    ) throws -> (PacketProxy, ConnectionSettings) {
        let proxy = try PacketProxy(to: server.port)
        var proxied = settings
        proxied.endpoints = [.tcp(host: "127.0.0.1", port: proxy.port)]
        return (proxy, proxied)
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
            try await blocking { try first.boot() }
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
        let (proxy, proxied) = try Self.proxy(to: first, settings)
        defer { proxy.stop() }
        let (earlier, later) = (":\(first.port)", ":\(second.port)")
        try await TestPool.with(proxied, limits: TestPool.limits(2)) { pool in
            #expect(try await Self.name(pool).hasSuffix(earlier))
            proxy.lead(to: second.port)
            let barrier = Barrier(of: 2)
            let unit: @Sendable (Session) throws(DatabaseError) -> String = { session in
                barrier.arriveAndWait()
                return session.serverName
            }
            async let one = pool.with(unit)
            let other = try await pool.with(unit)
            let names = [try await one, other]
            #expect(Set(names.map { $0.hasSuffix(earlier) ? earlier : later }) == [earlier, later])
            for _ in 0..<4 { #expect(try await Self.name(pool).hasSuffix(later)) }
        }
    }

    @Test func `a pool that closes an idle connection as it moves goes on opening and closing others`() async throws {
        let (first, second, settings) = try await Self.servers()
        defer { [first, second].forEach { $0.kill() } }
        let (proxy, proxied) = try Self.proxy(to: first, settings)
        defer { proxy.stop() }
        var limits = TestPool.limits(2)
        limits.minConnections = 2
        try await TestPool.with(proxied, limits: limits) { pool in
            while pool.load.idle < 2 { try await Task.sleep(for: .milliseconds(5)) }
            proxy.lead(to: second.port)
            // The pool opens another at once, because it keeps two; that one leads to the second server.
            try await Self.loseConnection(pool)
            while try await !Self.name(pool).hasSuffix(":\(second.port)") {
                try await Task.sleep(for: .milliseconds(5))
            }
            for _ in 0..<3 {
                try await Self.loseConnection(pool)
                #expect(try await Self.name(pool).hasSuffix(":\(second.port)"))
            }
        }
    }

    @Test func `of two connections that begin at once one alone finds room, and the pool stays where it went`()
        async throws
    {
        let (first, second, settings) = try await Self.servers()
        defer { [first, second].forEach { $0.kill() } }
        var alone = settings
        alone.endpoints = [settings.endpoints[0]]
        // The least number that the server allows; it takes one connection more of an administrator.
        let most = 10
        var limits = TestPool.limits(most)
        limits.minConnections = most
        try await TestPool.with(alone, limits: limits) { others in
            while others.load.idle < most { try await Task.sleep(for: .milliseconds(5)) }
            try await others.with { (session) throws(DatabaseError) in
                try session.run(SQLStatement("limit", "SET GLOBAL max_connections = \(most)"))
            }
            try await TestPool.with(settings, limits: TestPool.limits(2)) { pool in
                async let one = Self.name(pool)
                async let other = Self.name(pool)
                let names = [try await one, try await other]
                // Time for the opening that went elsewhere.
                try await Task.sleep(for: .milliseconds(500))
                let last = try await Self.name(pool)
                #expect(Set(names + [last]).count == 1)
            }
        }
    }

    @Test func `a connection that the server refuses moves no pool whose other connections are sound`() async throws {
        let (first, second, settings) = try await Self.servers()
        defer { [first, second].forEach { $0.kill() } }
        let (proxy, alone) = try Self.proxy(to: first, settings)
        defer { proxy.stop() }
        var proxied = alone
        proxied.endpoints.append(.tcp(host: "127.0.0.1", port: second.port))
        try await TestPool.with(proxied, limits: TestPool.limits(2)) { pool in
            #expect(try await Self.name(pool).hasSuffix(":\(first.port)"))
            // Nobody listens there.
            proxy.lead(to: PrivateMariaDB.freePort())
            let (begun, barrier) = (Barrier(of: 1), Barrier(of: 2))
            async let held = pool.with { (session) throws(DatabaseError) in
                begun.arrive()
                barrier.arriveAndWait()
                return session.serverName
            }
            while !begun.isComplete { try await Task.sleep(for: .milliseconds(1)) }
            async let waiting = Self.name(pool)
            // Time for several openings.
            try await Task.sleep(for: .milliseconds(500))
            barrier.arrive()
            #expect(try await held.hasSuffix(":\(first.port)"))
            #expect(try await waiting.hasSuffix(":\(first.port)"))
        }
    }
}
