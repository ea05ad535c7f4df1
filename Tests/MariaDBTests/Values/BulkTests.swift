import MariaDB
import Support
import Testing

/// Array binding, RETURNING and results whose columns change.
@Suite struct BulkTests {
    private static let create = SQLStatement(
        "create", "CREATE TABLE t (k VARCHAR(40) PRIMARY KEY, n BIGINT NULL, s TEXT NULL, d DOUBLE NULL)")
    private static let insert = SQLStatement("insert", "INSERT INTO t (k, n, s, d) VALUES (?, ?, ?, ?)")
    private static let count = SQLStatement("count", "SELECT COUNT(*), COUNT(n), COUNT(s), COUNT(d), SUM(n) FROM t")

    @Test func `a thousand sets with NULLs are inserted in one call`() async throws {
        try await TestDatabase.with { (session) throws(DatabaseError) in
            try session.run(Self.create)
            let sets = (0..<1000).map { index -> [Value] in
                [
                    .text("key \(index)"), index % 3 == 0 ? nil : .int64(Int64(index)),
                    index % 2 == 0 ? nil : .text(String(repeating: "🦊", count: index % 50)), nil,
                ]
            }
            #expect(try session.executeBulk(Self.insert, sets) == 1000)
            let row = try session.query(Self.count)[0]
            #expect(try row.int(0) == 1000)
            #expect(try row.int(1) == 666)
            #expect(try row.int(2) == 500)
            #expect(try row.int(3) == 0)
            #expect(try row.text(4) == "\((0..<1000).filter { $0 % 3 != 0 }.reduce(0, +))")
            let long = try session.query(
                SQLStatement("one", "SELECT s, n FROM t WHERE k = ?"), ["key 49"])[0]
            #expect(try long.text(0) == String(repeating: "🦊", count: 49))
            // The same statement is an ordinary one again.
            #expect(try session.execute(Self.insert, ["single", 1, nil, .double(2.5)]) == 1)
        }
    }

    @Test func `an error after some rows of a bulk insert keeps its number`() async throws {
        let returning = SQLStatement("insert returning", "INSERT INTO t (k) VALUES (?) RETURNING k")
        let error = await #expect(throws: DatabaseError.self) {
            try await TestDatabase.with { (session) throws(DatabaseError) in
                try session.run(Self.create)
                _ = try session.queryBulk(returning, [["a"], ["b"], ["a"], ["c"]])
            }
        }
        #expect(error?.isDuplicateKey == true, "\(String(describing: error))")
    }

    @Test func `only an INSERT is sent in bulk, and another statement is refused unsent`() async throws {
        try await TestDatabase.with { (session) throws(DatabaseError) in
            try session.run(Self.create)
            for sql in ["UPDATE t SET k = ?", "DELETE FROM t WHERE k = ?"] {
                let statement = SQLStatement("bulk", sql)
                let refused = DatabaseError(.misuse, statement: "bulk")
                #expect(throws: refused) { try session.executeBulk(statement, [["a"], ["b"]]) }
                #expect(throws: refused) { try session.queryBulk(statement, [["a"], ["b"]]) }
            }
            #expect(try session.executeEach(SQLStatement("one", "INSERT INTO t (k) VALUES (?)"), [["a"], ["b"]]) == 2)
        }
    }

    @Test func `a bulk upsert answers one row per set, in the order of the sets`() async throws {
        try await TestDatabase.with { (session) throws(DatabaseError) in
            try session.run(Self.create)
            let upsert = SQLStatement(
                "upsert",
                "INSERT INTO t (k, n) VALUES (?, ?) ON DUPLICATE KEY UPDATE k = VALUE(k) RETURNING k, n, s")
            try session.execute(Self.insert, ["b", 1, "old", nil])
            let sets: [[Value]] = [["c", 10], ["b", 11], ["a", 12], ["c", 13]]
            for _ in 0..<2 {
                let rows = try session.queryBulk(upsert, sets)
                #expect(try rows.map { (row) throws(DatabaseError) in try row.text(0) } == ["c", "b", "a", "c"])
                #expect(try rows.map { (row) throws(DatabaseError) in try row.int(1) } == [10, 1, 12, 10])
                #expect(try rows[1].optionalText(2) == "old")
            }
            let many = try session.queryBulk(upsert, (0..<500).map { ["\($0 / 2)", .int64($0)] })
            #expect(many.count == 500)
            #expect(try many.last.map { (row) throws(DatabaseError) in try row.int(1) } == 498)
            #expect(try session.queryBulk(upsert, []).isEmpty)
            #expect(try session.execute(upsert, ["single", 1]) > 0)
        }
    }

    @Test func `sets beyond the largest packet are sent in several, and one that alone exceeds it is refused unsent`()
        async throws
    {
        try await TestDatabase.with { (session) throws(DatabaseError) in
            try session.run(SQLStatement("big", "CREATE TABLE big (k INT PRIMARY KEY, b LONGBLOB)"))
            let insert = SQLStatement("insertBig", "INSERT INTO big VALUES (?, ?)")
            let megabytes = [UInt8](repeating: 1, count: 3 << 20)
            let affected = try session.transaction { (session) throws(DatabaseError) in
                try session.executeBulk(insert, (0..<8).map { [.int64($0), .bytes(megabytes)] })
            }
            #expect(affected == 8)
            let huge = [UInt8](repeating: 1, count: 20 << 20)
            let refusal = DatabaseError(.parameters, statement: "insertBig")
            #expect(throws: refusal) { try session.execute(insert, [9, .bytes(huge)]) }
            #expect(throws: refusal) { try session.executeBulk(insert, [[9, .bytes(huge)]]) }
            try session.ping()
        }
    }

    @Test func `parameters that do not fit are refused unsent`() async throws {
        try await TestDatabase.with { (session) throws(DatabaseError) in
            try session.run(Self.create)
            let refusal = DatabaseError(.parameters, statement: "insert")
            #expect(throws: refusal) { try session.execute(Self.insert, ["a"]) }
            #expect(throws: refusal) { try session.executeBulk(Self.insert, [["a"]]) }
            #expect(throws: refusal) {
                try session.executeBulk(Self.insert, [["a", 1, nil, nil], ["b", "2", nil, nil]])
            }
            #expect(try session.query(Self.count)[0].int(0) == 0)
        }
    }

    @Test func `RETURNING is read at the first execution and at every later one`() async throws {
        try await TestDatabase.with { (session) throws(DatabaseError) in
            try session.run(
                SQLStatement("create", "CREATE TABLE r (id BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY, s TEXT)"))
            let insert = SQLStatement("insert", "INSERT INTO r (s) VALUES (?) RETURNING id, s")
            for number in 1...3 {
                let rows = try session.query(insert, [.text("row \(number)")])
                #expect(rows.count == 1)
                #expect(try rows[0].uint64(0) == UInt64(number))
                #expect(try rows[0].text(1) == "row \(number)")
            }
        }
    }

    @Test func `a column may change its type from one execution to the next`() async throws {
        try await TestDatabase.with { (session) throws(DatabaseError) in
            let echo = SQLStatement("echo", "SELECT ?")
            let values: [Value] = [
                1, "text", .double(1.5), nil, .uint64(.max), .bytes([1, 2]),
                .text(String(repeating: "x", count: 5_000)), 2,
            ]
            for value in values + values.reversed() {
                #expect(try session.query(echo, [value])[0].value(0) == value)
            }
            try session.run(SQLStatement("alter0", "CREATE TABLE a (x INT)"))
            try session.execute(SQLStatement("fill", "INSERT INTO a VALUES (7)"))
            let select = SQLStatement("select", "SELECT * FROM a")
            #expect(try session.query(select)[0].value(0) == 7)
            try session.run(SQLStatement("alter1", "ALTER TABLE a MODIFY x VARCHAR(20)"))
            #expect(try session.query(select)[0].text(0) == "7")
            // The library cannot follow a change in the number of columns: the connection is given up.
            try session.run(SQLStatement("alter2", "ALTER TABLE a ADD COLUMN y INT DEFAULT 3"))
            let error = #expect(throws: DatabaseError.self) { try session.query(select) }
            #expect(error?.code == 2057)
            #expect(error?.isConnectionLost == true)
        }
    }

    @Test func `one JSON parameter asks for any number of keys`() async throws {
        try await TestDatabase.with { (session) throws(DatabaseError) in
            try session.run(Self.create)
            try session.executeBulk(Self.insert, (0..<50).map { [.text("\($0)"), .int64($0), nil, nil] })
            let load = SQLStatement(
                "load",
                """
                SELECT t.k, t.n FROM JSON_TABLE(?, '$[*]' COLUMNS (o FOR ORDINALITY, k VARCHAR(40) PATH '$')) keyed
                STRAIGHT_JOIN t ON t.k = keyed.k ORDER BY keyed.o
                """)
            for keys in [[], ["3"], ["9", "2", "none"], (0..<50).map(String.init)] {
                let json = "[\(keys.map { "\"\($0)\"" }.joined(separator: ","))]"
                let numbers = try session.query(load, [.text(json)]) { (row) throws(DatabaseError) in try row.int(1) }
                #expect(numbers == keys.compactMap(Int.init))
            }
        }
    }
}
