import Glibc
import Support
import Testing

@testable import MariaDB

/// Transactions that a Galera cluster aborts while their statements run.
@Suite(.serialized, .enabled(if: TestRun.hasCluster)) struct ClusterAbortTests {
    private static let rows = 100
    private static let note = SQLStatement("note", "INSERT INTO attempts (tag) VALUES (?)")
    private static let warm = SQLStatement("warm", "UPDATE hot SET n = n + 1 WHERE id = 1")
    private static let mark = SQLStatement("mark", "UPDATE marks SET tag = ? WHERE id = ?")
    private static let left = SQLStatement(
        "left", "SELECT (SELECT COUNT(*) FROM attempts WHERE tag = ?), (SELECT COUNT(*) FROM marks WHERE tag = ?)")

    /// A database on a cluster, and connections to two of its nodes.
    private static func open() async throws -> (writer: Connection, other: Connection) {
        let cluster = try PrivateCluster.shared
        let database = try cluster.freshDatabase()
        let ids = (1...rows).map { "(\($0), 0)" }.joined(separator: ", ")
        try cluster.nodes[0].sql(
            """
            USE \(database);
            CREATE TABLE hot (id INT PRIMARY KEY, n BIGINT NOT NULL);
            CREATE TABLE attempts (tag BIGINT PRIMARY KEY);
            CREATE TABLE marks (id INT PRIMARY KEY, tag BIGINT NOT NULL);
            CREATE TABLE answers (id BIGINT AUTO_INCREMENT PRIMARY KEY, tag BIGINT NOT NULL);
            INSERT INTO hot VALUES (1, 0);
            INSERT INTO marks VALUES \(ids)
            """)
        try cluster.catchUp()
        let writer = try await Connection.open(cluster.settings(database, on: [1]), name: "writer")
        return (writer, try await Connection.open(cluster.settings(database, on: [2]), name: "other"))
    }

    /// Runs transactions that mark all rows, while the other node writes a row that they write too, until `isOver`.
    /// Returns how many were aborted, and how many of these left some of their marks.
    private static func race(
        until isOver: @escaping @Sendable (_ aborted: Int, _ halves: Int) -> Bool, marks: Int = rows,
        marking: @escaping @Sendable (Session, [[Value]]) throws(DatabaseError) -> Void
    ) async throws -> (aborted: Int, halves: Int) {
        let (writer, other) = try await open()
        let isDone = Shared(false)
        async let heat: Void = other.with { (session) throws(DatabaseError) in
            while !isDone.value {
                do throws(DatabaseError) {
                    try session.execute(warm)
                } catch {
                    guard error.isRetryable else { throw error }
                }
                usleep(3_000)
            }
        }
        let counts = try await writer.with { (session) throws(DatabaseError) -> (aborted: Int, halves: Int) in
            defer { isDone.value = true }
            var (aborted, halves, tag) = (0, 0, Int64(0))
            while !isOver(aborted, halves) {
                tag += 1
                do throws(DatabaseError) {
                    try session.transaction { (session) throws(DatabaseError) in
                        try session.execute(note, [.int64(tag)])
                        try session.execute(warm)
                        try marking(session, (1...rows).map { [.int64(tag), Value($0)] })
                    }
                } catch {
                    guard error.isRetryable else { throw error }
                    aborted += 1
                    let row = try session.query(left, [.int64(tag), .int64(tag)])[0]
                    #expect(try row.int(0) == 0, "an aborted transaction keeps nothing of what came before")
                    if try row.int(1) > 0 { halves += 1 }
                    continue
                }
                let row = try session.query(left, [.int64(tag), .int64(tag)])[0]
                #expect(try row.int(0) == 1, "a committed transaction keeps what came first")
                #expect(try row.int(1) == marks, "and what came last")
            }
            return (aborted, halves)
        }
        try await heat
        await writer.close()
        await other.close()
        return counts
    }

    @Test func `an UPDATE set by set leaves nothing of a transaction that the cluster aborts`() async throws {
        let wanted = TestRun.rounds(200, soak: 2_000)
        let counts = try await Self.race(until: { aborted, _ in aborted >= wanted }) {
            (session, sets) throws(DatabaseError) in try session.executeEach(Self.mark, sets)
        }
        print("halves:", counts.halves, "of", counts.aborted, "aborted transactions")
        #expect(counts.halves == 0)
    }

    @Test func `what follows an answer with rows is not sent outside of a transaction that the cluster aborted`()
        async throws
    {
        let insert = SQLStatement("answer", "INSERT INTO answers (tag) VALUES (?) RETURNING id")
        let wanted = TestRun.rounds(200, soak: 2_000)
        let counts = try await Self.race(until: { aborted, _ in aborted >= wanted }, marks: 1) {
            (session, sets) throws(DatabaseError) in
            _ = try session.queryBulk(insert, sets.prefix(3).map { [$0[0]] })
            try session.executeEach(Self.mark, Array(sets.prefix(1)))
        }
        print("halves after rows:", counts.halves, "of", counts.aborted, "aborted transactions")
        #expect(counts.halves == 0)
    }

    @Test func `an UPDATE in bulk leaves halves, which is why none is sent`() async throws {
        let counts = try await Self.race(until: { aborted, halves in halves > 0 || aborted >= 5_000 }) {
            (session, sets) throws(DatabaseError) in
            let statement = try PreparedStatement(Self.mark, on: session.wire)
            var cells: [Value] = []
            _ = try statement.executeBulk(sets, into: &cells)
        }
        print("halves in bulk:", counts.halves, "of", counts.aborted, "aborted transactions")
        #expect(counts.halves > 0)
    }

    @Test func `an INSERT in bulk that the cluster aborts leaves nothing, and the transaction is known to be over`()
        async throws
    {
        let insert = SQLStatement(
            "mark anew", "INSERT INTO marks (tag, id) VALUES (?, ?) ON DUPLICATE KEY UPDATE tag = VALUES(tag)")
        let wanted = TestRun.rounds(200, soak: 2_000)
        let counts = try await Self.race(until: { aborted, _ in aborted >= wanted }) {
            (session, sets) throws(DatabaseError) in try session.executeBulk(insert, sets)
        }
        print("halves of inserts in bulk:", counts.halves, "of", counts.aborted, "aborted transactions")
        #expect(counts.halves == 0)
    }
}
