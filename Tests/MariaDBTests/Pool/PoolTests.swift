import MariaDB
import Support
import Testing

/// Units of work through a pool, on a healthy server.
@Suite struct PoolTests {
    private static let one = SQLStatement("one", "SELECT 1")
    private static let create = SQLStatement("create", "CREATE TABLE t (k INT PRIMARY KEY, n INT NOT NULL)")
    private static let insert = SQLStatement("insert", "INSERT INTO t VALUES (?, ?)")
    private static let count = SQLStatement("count", "SELECT COUNT(*) FROM t")

    private static func killConnection(_ id: UInt64, _ settings: ConnectionSettings) async throws {
        let killer = try await Connection.open(settings)
        try await killer.with { (session) throws(DatabaseError) in
            try session.run(SQLStatement("kill \(id)", "KILL \(id)"))
        }
        await killer.close()
    }

    @Test func `two hundred units share four connections and all are answered`() async throws {
        let settings = try await PrivateMariaDB.shared.freshDatabase()
        let ids = try await TestPool.with(settings, limits: TestPool.limits(4)) { pool in
            try await withThrowingTaskGroup(of: UInt64.self) { group in
                for _ in 0..<200 {
                    group.addTask {
                        try await pool.with { (session) throws(DatabaseError) in
                            try session.execute(Self.one)
                            return session.threadID
                        }
                    }
                }
                var ids: [UInt64: Int] = [:]
                for try await id in group { ids[id, default: 0] += 1 }
                return ids
            }
        }
        #expect(ids.values.reduce(0, +) == 200)
        #expect((1...4).contains(ids.count))
    }

    @Test func `who waits too long is told of the overload`() async throws {
        let settings = try await PrivateMariaDB.shared.freshDatabase()
        let isHeld = Barrier(of: 1)
        let isSeen = Barrier(of: 1)
        let limits = TestPool.limits(1, waitTimeout: .milliseconds(200))
        try await TestPool.with(settings, limits: limits) { pool in
            // On a busy machine the connection may take longer to open than anybody here waits for one.
            while (try? await pool.with { (session) throws(DatabaseError) in try session.execute(Self.one) }) == nil {}
            async let held: Void = pool.with { (_) throws(DatabaseError) in
                isHeld.arrive()
                isSeen.wait()
            }
            while !isHeld.isComplete { try await Task.sleep(for: .milliseconds(5)) }
            await #expect(throws: DatabaseError(.overloaded, statement: "lease")) {
                try await pool.with { (session) throws(DatabaseError) in try session.execute(Self.one) }
            }
            isSeen.arrive()
            try await held
        }
    }

    @Test func `a cancelled waiter leaves at once, and the next caller is served`() async throws {
        let settings = try await PrivateMariaDB.shared.freshDatabase()
        let isHeld = Barrier(of: 1)
        let isSeen = Barrier(of: 1)
        try await TestPool.with(settings, limits: TestPool.limits(1, waitTimeout: .seconds(300))) { pool in
            async let held: Void = pool.with { (_) throws(DatabaseError) in
                isHeld.arrive()
                isSeen.wait()
            }
            while !isHeld.isComplete { try await Task.sleep(for: .milliseconds(5)) }
            let waiter = Task {
                try await pool.with { (session) throws(DatabaseError) in try session.execute(Self.one) }
            }
            while pool.load.waiting == 0 { try await Task.sleep(for: .milliseconds(5)) }
            waiter.cancel()
            let result = await waiter.result
            #expect(throws: DatabaseError(.cancelled, statement: "lease")) { try result.get() }
            isSeen.arrive()
            try await held
            try await pool.with { (session) throws(DatabaseError) in try session.execute(Self.one) }
        }
    }

    @Test func `the load says what is open, idle and in use, and who waits`() async throws {
        let settings = try await PrivateMariaDB.shared.freshDatabase()
        let isHeld = Barrier(of: 1)
        let isSeen = Barrier(of: 1)
        try await TestPool.with(settings, limits: TestPool.limits(1)) { pool in
            async let held: Void = pool.with { (_) throws(DatabaseError) in
                isHeld.arrive()
                isSeen.wait()
            }
            while !isHeld.isComplete { try await Task.sleep(for: .milliseconds(2)) }
            #expect(pool.load == PoolLoad(open: 1, idle: 0, inUse: 1, waiting: 0))
            async let next: Void = pool.with { (session) throws(DatabaseError) in try session.ping() }
            while pool.load.waiting == 0 { try await Task.sleep(for: .milliseconds(2)) }
            #expect(pool.load == PoolLoad(open: 1, idle: 0, inUse: 1, waiting: 1))
            isSeen.arrive()
            try await held
            try await next
            #expect(pool.load == PoolLoad(open: 1, idle: 1, inUse: 0, waiting: 0))
        }
    }

    @Test func `shutting down lets a unit end, refuses the next, and leaves no thread behind`() async throws {
        let settings = try await PrivateMariaDB.shared.freshDatabase()
        let pool = Pool(
            settings, limits: TestPool.limits(3), name: "leakcheck", surroundings: .real, logger: TestPool.quiet)
        let run = Task { await pool.run() }
        let isHeld = Barrier(of: 3)
        let isSeen = Barrier(of: 1)
        let units = (0..<3).map { _ in
            Task {
                try await pool.with { (session) throws(DatabaseError) in
                    isHeld.arrive()
                    isSeen.wait()
                    try session.execute(Self.one)
                }
            }
        }
        while !isHeld.isComplete { try await Task.sleep(for: .milliseconds(5)) }
        #expect(Threads.count(named: "leakcheck") == 3)
        pool.shutDown()
        await #expect(throws: DatabaseError(.shuttingDown, statement: "lease")) {
            try await pool.with { (session) throws(DatabaseError) in try session.execute(Self.one) }
        }
        isSeen.arrive()
        for unit in units { _ = try await unit.value }
        await run.value
        // The kernel may list a thread for a moment after its end.
        for _ in 0..<1_000 where Threads.count(named: "leakcheck") > 0 { try await Task.sleep(for: .milliseconds(5)) }
        #expect(Threads.count(named: "leakcheck") == 0)
    }

    @Test func `cancelling the task that runs the pool shuts it down`() async throws {
        let settings = try await PrivateMariaDB.shared.freshDatabase()
        let pool = Pool(settings, surroundings: .real, logger: TestPool.quiet)
        let run = Task { await pool.run() }
        try await pool.with { (session) throws(DatabaseError) in try session.execute(Self.one) }
        run.cancel()
        await run.value
        await #expect(throws: DatabaseError(.shuttingDown, statement: "lease")) {
            try await pool.with { (session) throws(DatabaseError) in try session.execute(Self.one) }
        }
    }

    @Test func `a connection killed while idle is replaced unseen, and its unit runs once`() async throws {
        let settings = try await PrivateMariaDB.shared.freshDatabase()
        let runs = Counter()
        try await TestPool.with(settings, limits: TestPool.limits(1)) { pool in
            let id = try await pool.with { (session) throws(DatabaseError) in
                try session.run(Self.create)
                return session.threadID
            }
            try await Self.killConnection(id, settings)
            try await pool.with { (session) throws(DatabaseError) in
                runs.add()
                try session.execute(Self.insert, [1, 1])
            }
        }
        #expect(runs.value == 1)
    }

    @Test func `a connection killed in a transaction undoes it, and the unit runs again elsewhere`() async throws {
        let settings = try await PrivateMariaDB.shared.freshDatabase()
        let killer = try await Connection.open(settings)
        let runs = Counter()
        let victim = Shared<UInt64>(0)
        let isInserted = Barrier(of: 1)
        let isKilled = Barrier(of: 1)
        try await TestPool.with(settings, limits: TestPool.limits(1)) { pool in
            try await pool.with { (session) throws(DatabaseError) in try session.run(Self.create) }
            async let unit: Void = pool.transaction { (session) throws(DatabaseError) in
                let run = runs.add()
                try session.execute(Self.insert, [1, Value(run)])
                guard run == 1 else { return }
                victim.value = session.threadID
                isInserted.arrive()
                isKilled.wait()
                try session.execute(Self.insert, [2, 0])
            }
            while !isInserted.isComplete { try await Task.sleep(for: .milliseconds(2)) }
            try await killer.with { (session) throws(DatabaseError) in
                try session.run(SQLStatement("kill", "KILL \(victim.value)"))
            }
            isKilled.arrive()
            try await unit
            let count = try await pool.with { (session) throws(DatabaseError) in
                try session.query(Self.count)[0].int(0)
            }
            #expect(count == 1)
        }
        await killer.close()
        #expect(runs.value == 2)
    }

    @Test func `a query interrupted by the server is refused, and its connection is kept`() async throws {
        try await TestDatabase.with { (session) throws(DatabaseError) in
            let slow = SQLStatement("slow", "SET STATEMENT max_statement_time = 0.05 FOR SELECT SLEEP(3)")
            let error = #expect(throws: DatabaseError.self) { try session.run(slow) }
            #expect(error?.code == 1969)
            #expect(error?.isRetryable == false)
            #expect(error?.isConnectionLost == false)
            try session.execute(Self.one)
        }
    }

    @Test func `a read-only answer drops every connection of the pool`() async throws {
        let settings = try await PrivateMariaDB.shared.freshDatabase()
        try await TestPool.with(settings, limits: TestPool.limits(1)) { pool in
            let before = try await pool.with { (session) throws(DatabaseError) in
                try session.run(Self.create)
                return session.threadID
            }
            let error = await #expect(throws: DatabaseError.self) {
                try await pool.with { (session) throws(DatabaseError) in
                    try session.run(SQLStatement("readOnly", "SET SESSION TRANSACTION READ ONLY"))
                    try session.execute(Self.insert, [1, 1])
                }
            }
            #expect(error?.code == 1792)
            #expect(error?.isWrongNode == true)
            let after = try await pool.with { (session) throws(DatabaseError) in
                try session.execute(Self.insert, [1, 1])
                return session.threadID
            }
            #expect(before != after)
        }
    }

    @Test func `the session's settings are pinned, whatever the server's defaults are`() async throws {
        try await TestDatabase.with { (session) throws(DatabaseError) in
            #expect(session.serverVersion > 100_000)
            try session.run(SQLStatement("ts", "CREATE TABLE ts (at DATETIME NOT NULL, n TINYINT)"))
            let zero = #expect(throws: DatabaseError.self) {
                try session.execute(SQLStatement("zero", "INSERT INTO ts VALUES ('0000-00-00', 1)"))
            }
            #expect(zero?.code == 1292)
            let large = #expect(throws: DatabaseError.self) {
                try session.execute(SQLStatement("large", "INSERT INTO ts VALUES ('2026-01-01', 1000)"))
            }
            #expect(large?.code == 1264)
            let row = try session.query(
                SQLStatement(
                    "vars", "SELECT @@session.tx_isolation, @@session.time_zone, @@session.innodb_lock_wait_timeout"))[
                    0]
            #expect(try row.text(0) == "READ-COMMITTED")
            #expect(try row.text(1) == "+00:00")
            #expect(try row.int(2) == 3)
        }
    }

    @Test func `a setting that does not stick fails the connection`() async throws {
        var settings = try await PrivateMariaDB.shared.freshDatabase()
        // The server turns 0 days of patience into another number than it was told.
        settings.lockWaitTimeoutSeconds = 1_000_000_000
        await #expect(throws: DatabaseError(.sessionNotPinned, statement: "session.readVariables")) {
            try await Connection.open(settings)
        }
    }

    @Test func `the least recently used statement is closed, and prepared again when it is wanted`() async throws {
        var settings = try await PrivateMariaDB.shared.freshDatabase()
        settings.maxCachedStatements = 3
        let connection = try await Connection.open(settings)
        try await connection.with { (session) throws(DatabaseError) in
            func ask(_ number: Int) throws(DatabaseError) {
                #expect(try session.query(SQLStatement("s\(number)", "SELECT \(number)"))[0].int(0) == number)
            }
            for number in [1, 2, 3, 1, 4] { try ask(number) }
            #expect(session.preparedNames == ["s1", "s3", "s4"])
            for number in 0..<50 { try ask(number % 7) }
            let open = try session.query(SQLStatement("open", "SHOW GLOBAL STATUS LIKE 'Prepared_stmt_count'"))
            #expect(open.count == 1)
            #expect(session.preparedNames.count == 3)
            #expect(throws: DatabaseError(.misuse, statement: "open")) {
                try session.query(SQLStatement("open", "SELECT 2"))
            }
        }
        await connection.close()
    }
}
