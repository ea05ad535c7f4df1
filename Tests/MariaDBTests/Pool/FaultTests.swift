import Glibc
import MariaDB
import Support
import Testing

/// A server that dies, freezes or goes silent at the worst moment. Each test has a server of its own.
@Suite(.serialized) struct FaultTests {
    private static let create = SQLStatement("create", "CREATE TABLE t (k VARCHAR(20) PRIMARY KEY, run INT NOT NULL)")
    private static let insert = SQLStatement(
        "insert", "INSERT INTO t VALUES (?, ?) ON DUPLICATE KEY UPDATE k = VALUE(k) RETURNING run")
    private static let count = SQLStatement("count", "SELECT COUNT(*), CAST(COALESCE(SUM(run), 0) AS SIGNED) FROM t")

    private static func server() async throws -> (PrivateMariaDB, ConnectionSettings) {
        var options = PrivateMariaDB.Options()
        options.listensOnLoopback = true
        options.skipsGrants = true
        let server = try await PrivateMariaDB.start(options)
        let settings = try await server.freshDatabase()
        let connection = try await Connection.open(settings)
        try await connection.with { (session) throws(DatabaseError) in try session.run(create) }
        await connection.close()
        return (server, settings)
    }

    /// The number of rows and the sum of the runs that wrote them.
    private static func rows(_ settings: ConnectionSettings) async throws -> [Int] {
        let connection = try await Connection.open(settings)
        let rows = try await connection.with { (session) throws(DatabaseError) in
            let row = try session.query(count)[0]
            return [try row.int(0), try row.int(1)]
        }
        await connection.close()
        return rows
    }

    @Test(arguments: [PacketProxy.Fault.cutBeforeCommit, .cutAfterCommit], [1, 2])
    func `a COMMIT that goes unanswered is settled by repeating the unit: the row is there once`(
        fault: PacketProxy.Fault, count: Int
    ) async throws {
        let (server, settings) = try await Self.server()
        defer { server.kill() }
        let proxy = try PacketProxy(to: server.port)
        defer { proxy.stop() }
        var proxied = settings
        proxied.endpoints = [.tcp(host: "127.0.0.1", port: proxy.port)]
        let runs = Counter()
        let noted = Shared<[Bool]>([])
        let note: @Sendable (DatabaseError, Bool) -> Void = { error, isRunAgain in
            #expect(error.isCommitUnknown)
            noted.value.append(isRunAgain)
        }
        let writer = try await TestPool.with(proxied, limits: TestPool.limits(2), noteFailure: note) { pool in
            try await pool.with { (session) throws(DatabaseError) in try session.ping() }
            proxy.inject(fault, count: count)
            let writer = try await pool.transaction { (session) throws(DatabaseError) in
                let run = runs.add()
                #expect(session.isInDoubt == (run > 1), "only a repeat is in doubt")
                return try session.query(Self.insert, ["key", Value(run)])[0].int(0)
            }
            try await pool.transaction { (session) throws(DatabaseError) in #expect(!session.isInDoubt) }
            return writer
        }
        #expect(proxy.faultsMet == count)
        #expect(runs.value == count + 1)
        #expect(noted.value == Array(repeating: true, count: count))
        // The run whose row stays: the last when none arrived, the first when its answer was lost.
        #expect(writer == (fault == .cutBeforeCommit ? count + 1 : 1))
        #expect(try await Self.rows(settings) == [1, writer])
    }

    @Test(arguments: [PacketProxy.Fault.cutBeforeCommit, .cutAfterCommit], [false, true])
    func `a COMMIT that stays unanswered is reported as such, whatever the repetitions met`(
        fault: PacketProxy.Fault, refusesAfter: Bool
    ) async throws {
        let (server, settings) = try await Self.server()
        defer { server.kill() }
        let proxy = try PacketProxy(to: server.port)
        defer { proxy.stop() }
        var proxied = settings
        proxied.endpoints = [.tcp(host: "127.0.0.1", port: proxy.port)]
        try await TestPool.with(proxied, limits: TestPool.limits(2)) { pool in
            proxy.inject(fault, count: refusesAfter ? 1 : 10, refusesAfter: refusesAfter)
            let error = await #expect(throws: DatabaseError.self) {
                try await pool.transaction { (session) throws(DatabaseError) in
                    try session.execute(Self.insert, ["key", 1])
                }
            }
            #expect(error?.isCommitUnknown == true)
        }
        #expect(try await Self.rows(settings)[0] == (fault == .cutBeforeCommit ? 0 : 1))
    }

    @Test func `a frozen server costs each unit its read timeout and nobody else anything`() async throws {
        let (server, settings) = try await Self.server()
        defer { server.kill() }
        var impatient = settings
        impatient.readTimeoutSeconds = 1
        impatient.connectTimeoutSeconds = 1
        try await TestPool.with(impatient, limits: TestPool.limits(8)) { pool in
            let warm = Barrier(of: 8)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask { try await pool.with { (_) throws(DatabaseError) in warm.arriveAndWait() } }
                }
                try await group.waitForAll()
            }
            server.freeze()
            let others = Task { await Self.countSleeps() }
            await withTaskGroup(of: DatabaseError?.self) { group in
                for number in 0..<16 {
                    group.addTask {
                        let insert: @Sendable (Session) throws(DatabaseError) -> Void = {
                            (session) throws(DatabaseError) in
                            try session.execute(Self.insert, ["frozen \(number)", 1])
                        }
                        do throws(DatabaseError) {
                            if number < 8 { try await pool.transaction(insert) } else { try await pool.with(insert) }
                            return nil
                        } catch {
                            return error
                        }
                    }
                }
                for await error in group { #expect(error != nil) }
            }
            others.cancel()
            #expect(await others.value >= 10)
            server.thaw()
            try await Self.waitForHealing(of: pool)
        }
    }

    /// How many short sleeps fit in until it is cancelled: hardly one in a cooperative pool whose threads are blocked.
    private static func countSleeps() async -> Int {
        var count = 0
        while (try? await Task.sleep(for: .milliseconds(10))) != nil { count += 1 }
        return count
    }

    /// Asks until the pool answers again. Throws its last error when it does not within a minute.
    private static func waitForHealing(of pool: Pool) async throws {
        let start = ContinuousClock.now
        while let error = await failure(of: pool) {
            guard start.duration(to: .now) < .seconds(60) else { throw error }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    private static func failure(of pool: Pool) async -> DatabaseError? {
        do throws(DatabaseError) {
            try await pool.with { (session) throws(DatabaseError) in try session.execute(count) }
            return nil
        } catch {
            return error
        }
    }

    @Test func `after kill -9 callers are refused, and the pool heals by itself after the restart`() async throws {
        let (server, settings) = try await Self.server()
        defer { server.kill() }
        try await TestPool.with(settings, limits: TestPool.limits(4)) { pool in
            try await pool.transaction { (session) throws(DatabaseError) in
                try session.execute(Self.insert, ["before", 1])
            }
            server.kill()
            let error = await #expect(throws: DatabaseError.self) {
                try await pool.transaction { (session) throws(DatabaseError) in
                    try session.execute(Self.insert, ["during", 1])
                }
            }
            #expect(error?.cause == .unavailable)
            #expect(error?.code == 2002)
            let next = await #expect(throws: DatabaseError.self) {
                try await pool.with { (session) throws(DatabaseError) in try session.ping() }
            }
            #expect(next?.cause == .unavailable)
            try await Task.sleep(for: .seconds(1))
            try await blocking { try server.boot() }
            try await Self.waitForHealing(of: pool)
        }
        #expect(try await Self.rows(settings) == [1, 1])
    }

    @Test func `a restart shorter than the circuit's delay is invisible but for the wait`() async throws {
        let (server, settings) = try await Self.server()
        defer { server.kill() }
        var limits = TestPool.limits(4)
        limits.circuitDelay = .seconds(60)
        try await TestPool.with(settings, limits: limits) { pool in
            try await pool.with { (session) throws(DatabaseError) in try session.ping() }
            server.kill()
            async let unit = pool.transaction { (session) throws(DatabaseError) in
                try session.execute(Self.insert, ["blink", 1])
            }
            try await blocking { try server.boot() }
            _ = try await unit
        }
        #expect(try await Self.rows(settings) == [1, 1])
    }

    @Test func `every write acknowledged before kill -9 is there after it`() async throws {
        let (server, settings) = try await Self.server()
        defer { server.kill() }
        let acknowledged = Counter()
        try await TestPool.with(settings, limits: TestPool.limits(4)) { pool in
            await withTaskGroup(of: Void.self) { group in
                for lane in 0..<4 {
                    group.addTask {
                        for number in 0... {
                            do {
                                try await pool.transaction { (session) throws(DatabaseError) in
                                    try session.execute(Self.insert, ["\(lane) \(number)", 1])
                                }
                                acknowledged.add()
                            } catch {
                                return
                            }
                        }
                    }
                }
                group.addTask {
                    while acknowledged.value < 300 { await Task.yield() }
                    server.kill()
                }
            }
            try await blocking { try server.boot() }
            try await Self.waitForHealing(of: pool)
        }
        let rows = try await Self.rows(settings)[0]
        #expect((acknowledged.value...acknowledged.value + 4).contains(rows))
    }

    @Test(.timeLimit(.minutes(20)))
    func `a server without a place left is an unavailable one, not an endless wait`() async throws {
        var options = PrivateMariaDB.Options()
        options.skipsGrants = true
        options.arguments = ["--max-connections=10", "--extra-max-connections=1"]
        let server = try await PrivateMariaDB.start(options)
        defer { server.kill() }
        let settings = server.settings(database: nil)
        var held: [Connection] = []
        var refusal: DatabaseError?
        while refusal == nil, held.count < 20 {
            do throws(DatabaseError) {
                held.append(try await Connection.open(settings))
            } catch {
                refusal = error
            }
        }
        #expect(refusal?.code == 1040)
        try await TestPool.with(settings) { [held] pool in
            await #expect(throws: DatabaseError.self) {
                try await pool.with { (session) throws(DatabaseError) in try session.ping() }
            }
            for connection in held { await connection.close() }
            while (try? await pool.with { (session) throws(DatabaseError) in try session.ping() }) == nil {
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }
}
