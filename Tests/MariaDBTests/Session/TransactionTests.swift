import MariaDB
import Support
import Testing

/// What a transaction keeps and what it undoes.
@Suite struct TransactionTests {
    private static let create = SQLStatement("create", "CREATE TABLE t (k INT PRIMARY KEY, n INT NOT NULL)")
    private static let insert = SQLStatement("insert", "INSERT INTO t VALUES (?, ?)")
    private static let update = SQLStatement("update", "UPDATE t SET n = n + 1 WHERE k = ?")
    private static let keys = SQLStatement("keys", "SELECT k FROM t ORDER BY k")
    private static let sum = SQLStatement("sum", "SELECT CAST(SUM(n) AS SIGNED) FROM t")

    private static func keys(_ session: Session) throws(DatabaseError) -> [Int] {
        try session.query(keys) { (row) throws(DatabaseError) in try row.int(0) }
    }

    /// A schema with rows 1 and 2.
    private static func prepared() async throws -> ConnectionSettings {
        let settings = try await PrivateMariaDB.shared.freshDatabase()
        let connection = try await Connection.open(settings)
        try await connection.with { (session) throws(DatabaseError) in
            try session.run(create)
            try session.executeBulk(insert, [[1, 0], [2, 0]])
        }
        await connection.close()
        return settings
    }

    @Test func `an error undoes everything, also one the closure kept to itself`() async throws {
        try await TestDatabase.with { (session) throws(DatabaseError) in
            try session.run(Self.create)
            try session.transaction { (session) throws(DatabaseError) in try session.execute(Self.insert, [1, 0]) }
            let duplicate = DatabaseError(.refused, code: 1062, sqlState: "23000", statement: "insert")
            #expect(duplicate.isDuplicateKey)
            #expect(throws: duplicate) {
                try session.transaction { (session) throws(DatabaseError) in
                    try session.execute(Self.insert, [2, 0])
                    try session.execute(Self.insert, [1, 0])
                }
            }
            #expect(throws: duplicate) {
                try session.transaction { (session) throws(DatabaseError) in
                    try session.execute(Self.insert, [3, 0])
                    do { try session.execute(Self.insert, [1, 0]) } catch {}
                }
            }
            #expect(throws: duplicate) {
                try session.transaction { (session) throws(DatabaseError) in
                    do { try session.execute(Self.insert, [1, 0]) } catch {}
                    try session.execute(Self.insert, [4, 0])
                }
            }
            #expect(throws: DatabaseError(.cancelled, statement: "own")) {
                try session.transaction { (session) throws(DatabaseError) in
                    try session.execute(Self.insert, [5, 0])
                    throw DatabaseError(.cancelled, statement: "own")
                }
            }
            #expect(try Self.keys(session) == [1])
        }
    }

    @Test func `a statement that commits by itself ends the transaction, and the next one is refused`() async throws {
        try await TestDatabase.with { (session) throws(DatabaseError) in
            try session.run(Self.create)
            #expect(throws: DatabaseError(.transactionOver, statement: "insert")) {
                try session.transaction { (session) throws(DatabaseError) in
                    try session.run(SQLStatement("ddl", "CREATE TABLE other (k INT PRIMARY KEY)"))
                    try session.execute(Self.insert, [1, 0])
                }
            }
            #expect(throws: DatabaseError(.transactionOver, statement: "commit")) {
                try session.transaction { (session) throws(DatabaseError) in
                    try session.run(SQLStatement("ddl", "DROP TABLE other"))
                }
            }
            #expect(try Self.keys(session).isEmpty)
        }
    }

    @Test func `a transaction in a transaction is a misuse, and an open one left behind breaks the connection`()
        async throws
    {
        let connection = try await Connection.open(Self.prepared())
        await #expect(throws: DatabaseError(.misuse, statement: "begin")) {
            try await connection.transaction { (session) throws(DatabaseError) in
                try session.transaction { (session) throws(DatabaseError) in try session.execute(Self.insert, [3, 0]) }
            }
        }
        try await connection.with { (session) throws(DatabaseError) in
            try session.run(SQLStatement("begin by hand", "START TRANSACTION"))
        }
        await #expect(throws: DatabaseError(.connectionLost, statement: "connect")) {
            try await connection.with { (session) throws(DatabaseError) in try Self.keys(session) }
        }
        await connection.close()
    }

    @Test func `two transactions that swap rows deadlock; the victim is rolled back whole and succeeds when run again`()
        async throws
    {
        let settings = try await Self.prepared()
        let runs = Counter()
        let barrier = Barrier(of: 2)
        try await TestPool.with(settings, limits: TestPool.limits(2)) { pool in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (first, second) in [(1, 2), (2, 1)] {
                    group.addTask {
                        try await pool.transaction { (session) throws(DatabaseError) in
                            runs.add()
                            try session.execute(Self.insert, [Value(10 + first), 0])
                            try session.execute(Self.update, [Value(first)])
                            barrier.arriveAndWait()
                            try session.execute(Self.update, [Value(second)])
                        }
                    }
                }
                try await group.waitForAll()
            }
            let (keys, sum) = try await pool.with { (session) throws(DatabaseError) in
                (try Self.keys(session), try session.query(Self.sum)[0].int(0))
            }
            #expect(keys == [1, 2, 11, 12])
            #expect(sum == 4)
        }
        #expect(runs.value == 3)
    }

    @Test func `a lock timeout leaves no half transaction, and comes after the pinned time`() async throws {
        var settings = try await Self.prepared()
        settings.lockWaitTimeoutSeconds = 1
        let holder = try await Connection.open(settings)
        let waiter = try await Connection.open(settings)
        let isLocked = Barrier(of: 1)
        let isSeen = Barrier(of: 1)
        async let held: Void = holder.transaction { (session) throws(DatabaseError) in
            try session.execute(Self.update, [1])
            isLocked.arrive()
            isSeen.wait()
        }
        let error = await #expect(throws: DatabaseError.self) {
            try await waiter.transaction { (session) throws(DatabaseError) in
                isLocked.wait()
                try session.execute(Self.insert, [3, 0])
                try session.execute(Self.update, [1])
            }
        }
        #expect(error?.code == 1205)
        #expect(error?.isRetryable == true)
        isSeen.arrive()
        try await held
        let keys = try await waiter.with { (session) throws(DatabaseError) in try Self.keys(session) }
        #expect(keys == [1, 2])
        await holder.close()
        await waiter.close()
    }

    @Test func `a transaction that stands still is ended by the server, and its locks go`() async throws {
        let settings = try await Self.prepared()
        var impatient = settings
        impatient.idleTransactionTimeoutSeconds = 1
        let holder = try await Connection.open(impatient)
        let waiter = try await Connection.open(settings)
        let isLocked = Barrier(of: 1)
        let isOver = Barrier(of: 1)
        async let held: Void = holder.transaction { (session) throws(DatabaseError) in
            try session.execute(Self.update, [1])
            isLocked.arrive()
            isOver.wait()
            try session.execute(Self.insert, [3, 0])
        }
        try await waiter.transaction { (session) throws(DatabaseError) in
            isLocked.wait()
            try session.execute(Self.update, [1])
        }
        isOver.arrive()
        do {
            try await held
            Issue.record("the transaction went on")
        } catch let error as DatabaseError {
            #expect(error.isConnectionLost, "\(error)")
        }
        let keys = try await waiter.with { (session) throws(DatabaseError) in try Self.keys(session) }
        #expect(keys == [1, 2])
        await holder.close()
        await waiter.close()
    }

    @Test func `a pool runs the unit again after a lock timeout`() async throws {
        var settings = try await Self.prepared()
        settings.lockWaitTimeoutSeconds = 1
        let runs = Counter()
        let isLocked = Barrier(of: 1)
        let isSeen = Barrier(of: 2)
        try await TestPool.with(settings, limits: TestPool.limits(2)) { pool in
            async let held: Void = pool.transaction { (session) throws(DatabaseError) in
                try session.execute(Self.update, [1])
                isLocked.arrive()
                isSeen.wait()
            }
            try await pool.transaction { (session) throws(DatabaseError) in
                isLocked.wait()
                runs.add()
                isSeen.arrive()
                try session.execute(Self.insert, [3, 0])
                try session.execute(Self.update, [1])
            }
            try await held
        }
        #expect(runs.value >= 2)
    }
}
