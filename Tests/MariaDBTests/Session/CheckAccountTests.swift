import FoundationEssentials
import MariaDB
import Support
import Testing

/// The account of the proxy's check, as the documents make it.
@Suite struct CheckAccountTests {
    /// The statement that makes the account in a document, on one line. Throws if there is not exactly one.
    private static func statement(in name: String) throws -> String {
        let file = URL(filePath: TestRun.repository + "/" + name)
        let words = String(decoding: try Data(contentsOf: file), as: UTF8.self)
            .split { $0.isWhitespace || $0 == "#" }.joined(separator: " ")
        let found = words.components(separatedBy: "CREATE USER haproxy_check").dropFirst()
        try #require(found.count == 1, "\(name)")
        return "CREATE USER haproxy_check" + found.joined().prefix { $0 != ";" }
    }

    @Test func `the documents make it in the same way, for one address, without any right`() throws {
        let statement = try Self.statement(in: "docs/cluster.md")
        #expect(statement.hasPrefix("CREATE USER haproxy_check@'10.0.0.10' "), "\(statement)")
        for name in ["docs/haproxy.cfg", "compose.cluster.yaml"] { #expect(try Self.statement(in: name) == statement) }
        for name in ["docs/cluster.md", "docs/haproxy.cfg", "compose.cluster.yaml"] {
            let text = String(
                decoding: try Data(contentsOf: URL(filePath: TestRun.repository + "/" + name)), as: UTF8.self)
            #expect(!text.contains("TO haproxy_check"), "\(name)")
        }
    }

    @Test func `it checks, and has few sessions, whose statements end`() async throws {
        let server = try await PrivateMariaDB.start()
        defer { server.kill() }
        let text = try Self.statement(in: "docs/cluster.md").replacing("10.0.0.10", with: "localhost")
        let root = try await Connection.open(server.settings(database: nil))
        try await root.with { (session) throws(DatabaseError) in try session.run(SQLStatement("create", text)) }
        var settings = server.settings(database: nil)
        settings.user = "haproxy_check"
        var sessions: [Connection] = []
        for _ in 0..<10 { sessions.append(try await Connection.open(settings)) }
        let refusal = await #expect(throws: DatabaseError.self) { try await Connection.open(settings) }
        #expect(refusal?.code == 1226)
        try await sessions[0].with { (session) throws(DatabaseError) in
            try session.run(SQLStatement("check", "START TRANSACTION READ WRITE"))
            try session.run(SQLStatement("end", "ROLLBACK"))
            let schemas = try session.query(SQLStatement("schemas", "SHOW DATABASES"))
            #expect(try schemas.map { (row) throws(DatabaseError) in try row.text(0) } == ["information_schema"])
            let long = SQLStatement("long", "SELECT SLEEP(30)")
            let error = #expect(throws: DatabaseError.self) { try session.run(long) }
            #expect(error?.code == 1969)
        }
        for connection in sessions + [root] { await connection.close() }
    }
}
