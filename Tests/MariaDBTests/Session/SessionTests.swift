import MariaDB
import Support
import Testing

/// Statements, parameters and rows against a real server.
@Suite struct SessionTests {
    @Test func `every type comes back as it was sent`() async throws {
        try await TestDatabase.with { (session) throws(DatabaseError) in
            try session.run(
                SQLStatement(
                    "create",
                    """
                    CREATE TABLE t (id INT PRIMARY KEY, i BIGINT, u BIGINT UNSIGNED, d DOUBLE, s LONGTEXT, b LONGBLOB,
                        n DECIMAL(20,4), at DATETIME(6), j JSON, tiny TINYINT, f FLOAT,
                        c VARCHAR(20) CHARACTER SET ascii COLLATE ascii_bin)
                    """))
            let insert = SQLStatement("insert", "INSERT INTO t VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
            let sent: [[Value]] = [
                [
                    1, .int64(.min), .uint64(.max), .double(-0.1), "naïve 🦊 日本", .bytes([0, 255, 10, 0]), "12.3400",
                    "2026-11-21 23:59:59.123456", #"{"a": [1, 2]}"#, -128, .double(0.5), "ascii",
                ],
                [2, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil],
                [
                    3, .int64(.max), 0, .double(1e300), .text(String(repeating: "ab🦊", count: 2_500)),
                    .bytes([UInt8](repeating: 7, count: 300_000)), "-0.0001", "0001-01-01 00:00:00.000000", "[]", 0,
                    .double(0), "",
                ],
                [
                    4, 0, 1, .double(0), .text(String(repeating: "é", count: 150_000)), .bytes([]), "0.0000",
                    "9999-12-31 23:59:59.999999", "1", 127, .double(-1), "x",
                ],
            ]
            for values in sent { #expect(try session.execute(insert, values) == 1) }
            let rows = try session.query(SQLStatement("select", "SELECT * FROM t ORDER BY id"))
            #expect(rows.count == sent.count)
            for (row, values) in zip(rows, sent) {
                for (column, value) in values.enumerated() {
                    // Signedness follows the column, not the parameter.
                    switch (try row.value(column), value) {
                    case (.uint64(let got), .int64(let number)): #expect(got == UInt64(number))
                    case (let got, let value): #expect(got == value, "column \(column)")
                    }
                }
            }
            #expect(try rows[0].uint64(2) == .max)
            #expect(try rows[1].optionalText(4) == nil)
        }
    }

    @Test func `a text that is not ASCII is compared with columns of any character set, and finds what equals it`()
        async throws
    {
        try await TestDatabase.with { (session) throws(DatabaseError) in
            try session.run(
                SQLStatement(
                    "create",
                    """
                    CREATE TABLE t (a VARCHAR(20) CHARACTER SET ascii COLLATE ascii_nopad_bin,
                        u VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin, KEY (a), KEY (u))
                    """))
            let insert = SQLStatement("insert", "INSERT INTO t VALUES (?, ?)")
            for (ascii, any) in [("?", "é"), ("b", "日本"), ("e", "b")] {
                try session.execute(insert, [.text(ascii), .text(any)])
            }
            let stored = ["é", "日本", "b"]
            for (number, (condition, found)) in [
                ("a = ?", ["b"]), ("u = ?", stored), ("(? IS NULL OR a = ?)", ["b"]), ("a IN (?, 'x')", ["b"]),
                ("u IN (?, 'x')", stored), ("FIND_IN_SET(a, ?)", ["b"]), ("CONCAT(u) = ?", stored),
            ].enumerated() {
                let select = SQLStatement("select \(number)", "SELECT a FROM t WHERE \(condition)")
                let count = condition.count { $0 == "?" }
                for text in ["é", "e\u{301}", "日本", "😀", "\u{FF1D}", "\u{0}é", "b", "", "x"] {
                    let rows = try session.query(select, Array(repeating: .text(text), count: count))
                    let isFound = found.contains { $0.utf8.elementsEqual(text.utf8) }
                    #expect(rows.count == (isFound ? 1 : 0), "\(condition) \(text)")
                }
            }
            let list = SQLStatement(
                "list",
                "SELECT n FROM JSON_TABLE(?, '$[*]' COLUMNS (n VARCHAR(9) CHARACTER SET utf8mb4 PATH '$')) j")
            #expect(try session.query(list, [#"["é日本😀"]"#])[0].text(0) == "é日本😀")
            let refusal = #expect(throws: DatabaseError.self) { try session.execute(insert, ["é", "x"]) }
            #expect(refusal?.code == 1366, "what is stored is checked as before")
        }
    }

    @Test func `a cell of another type, a NULL and a missing column name the statement and the column`() async throws {
        try await TestDatabase.with { (session) throws(DatabaseError) in
            let rows = try session.query(SQLStatement("odd", "SELECT 'x', NULL, 18446744073709551615, -1, 2"))
            let row = rows[0]
            func check(_ column: Int, _ read: (Row) throws(DatabaseError) -> Void) {
                #expect(throws: DatabaseError(.unexpectedCell(column: column), statement: "odd")) { try read(row) }
            }
            check(0) { (row) throws(DatabaseError) in _ = try row.int64(0) }
            check(1) { (row) throws(DatabaseError) in _ = try row.text(1) }
            check(2) { (row) throws(DatabaseError) in _ = try row.int64(2) }
            check(3) { (row) throws(DatabaseError) in _ = try row.uint64(3) }
            check(4) { (row) throws(DatabaseError) in _ = try row.bool(4) }
            check(5) { (row) throws(DatabaseError) in _ = try row.value(5) }
            check(-1) { (row) throws(DatabaseError) in _ = try row.value(-1) }
        }
    }
}
