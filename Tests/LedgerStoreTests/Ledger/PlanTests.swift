import Crypto
import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// Each read that a request makes finds its rows by an index, in tables that have grown.
///
/// The server's own log tells which statements the store sends, so a new one is judged without being named here.
@Suite struct PlanTests {
    /// A million in a soak.
    static let rows = TestRun.isSoak ? 1_000_000 : 20_000

    /// The key of a purchase in a fact.
    private static func key(_ number: String) -> String {
        #"CONCAT('["apple_iap","com.airport.vpn","Production","filler', \#(number), '"]')"#
    }

    /// The one state of a purchase.
    static func statement(_ number: String) -> String {
        #"CONCAT('[', \#(key(number)), ',"0",null,null,null,"pass.30","pass","0"]')"#
    }

    static let fillings = [
        """
        INSERT INTO users (user_id, created_at, ledger_length)
        SELECT CONCAT('filler', seq), 0, 2 FROM seq_1_to_\(rows)
        """,
        """
        INSERT INTO purchases (source, app, environment, external_id, user_id, bound_at, recorded_at)
        SELECT 'apple_iap', 'com.airport.vpn', 'Production', CONCAT('filler', seq), seq, 0, seq FROM seq_1_to_\(rows)
        """,
        """
        INSERT INTO apple_iap_transactions (purchase_id, app, environment, transaction_id, original_transaction_id,
            user_id, product_id, product_type, purchase_at, original_purchase_at, quantity, is_family_shared,
            is_upgraded, app_transaction_id, signed_at, recorded_at, statement, content_hash, jws_hash)
        SELECT seq, 'com.airport.vpn', 'Production', CONCAT('filler', seq), CONCAT('filler', seq), seq, 'pass.30',
            'Non-Renewing Subscription', 0, 0, 1, 0, 0, CONCAT('account', seq), 0, 0,
            \(statement("seq")), UNHEX(SHA2(seq, 256)), UNHEX(SHA2(CONCAT('text', seq), 256))
        FROM seq_1_to_\(rows)
        """,
        """
        INSERT INTO ledger_entries
            (user_id, seq, recorded_at, effective_at, kind, is_own_act, purchase_id, state_id, content, hash)
        SELECT s.seq, n.seq, n.seq, 0, IF(n.seq = 1, 'purchase_state', 'bound'), 0, s.seq, IF(n.seq = 1, s.seq, NULL),
            IF(n.seq = 1, \(statement("s.seq")), CONCAT('[', \(key("s.seq")), ']')), ''
        FROM (SELECT seq FROM seq_1_to_\(rows)) s, seq_1_to_2 n
        """,
        """
        INSERT INTO account_tokens SELECT CONCAT('label', seq), seq, seq, UNHEX(MD5(seq)), 0, NULL FROM seq_1_to_\(rows)
        """,
        "INSERT INTO notes SELECT UNHEX(SHA2(seq, 256)), seq, seq + 1, REPEAT('a', 16), '[]' FROM seq_1_to_\(rows)",
        "INSERT INTO purchase_holders SELECT seq, seq + 1 FROM seq_1_to_\(rows - 1)",
        """
        INSERT INTO subscriptions
        SELECT seq, seq, 'apple_iap', CONCAT('filler', seq), 'Production', 'pass.30', 'pro', 0, seq, NULL
        FROM seq_1_to_\(rows)
        """,
    ]

    /// The server logs statements into a table, and has memory for a million rows where there are as many.
    static let arguments =
        ["--log-output=TABLE", "--general-log=0"]
        + (TestRun.isSoak ? ["--innodb-buffer-pool-size=2G", "--innodb-log-file-size=1G"] : [])

    @Test func `no request reads a whole table`() async throws {
        var options = PrivateMariaDB.Options()
        options.arguments = Self.arguments
        let server = try await PrivateMariaDB.start(options)
        defer { server.kill() }
        try await TestStore.open(instances: 2, legacyTokens: true, server: server) { store in
            for filling in Self.fillings { try await store.schema.rows(filling) }
            try await store.schema.rows("ANALYZE TABLE \(TestSchema.tables.joined(separator: ", "))")
            try await store.schema.rows("SET GLOBAL general_log = 1")
            try await askEverything(of: store)
            try await store.schema.rows("SET GLOBAL general_log = 0")
            let statements = try await Self.statements(in: store.schema)
            #expect(statements.count >= 9)
            for statement in statements { try await judge(statement, in: store.schema) }
            let writes = try await Self.statements(in: store.schema, beginningWith: ["DELETE", "UPDATE"])
            #expect(writes.count >= 8)
            for statement in writes { try await judge(statement, in: store.schema) }
        }
    }

    @Test func `the judge would notice`() async throws {
        try await TestStore.open { store in
            try await store.schema.rows(Self.fillings[1])
            let plan = try await Self.scans(of: "SELECT * FROM purchases WHERE bound_at = 5", in: store.schema)
            #expect(plan == ["purchases: ALL"])
        }
    }

    private func askEverything(of store: TestStore) async throws {
        let legacy = try #require(AccountToken("0000002A-0000-0000-0000-000000000000"))
        _ = try await store.instances[0].tokens.token(of: Sample.user(7))
        _ = try await store.instances[0].tokens.token(of: Sample.user("filler7"))
        _ = try await store.instances[0].tokens.note(of: .appleAccount(Label("filler7")))
        try await store.attach(Sample.pass("new"), to: Sample.user("filler8"))
        try await store.attach(Sample.pass("filler9", signedDay: 3, revokedDay: 3), to: Sample.user("filler9"))
        try await store.restore(
            (100..<150).map { Sample.pass("filler\($0)", token: legacy, signedDay: 2) }, to: Sample.user("filler100"))
        _ = try await store.timeline(of: Sample.user("filler100"))
        let replays = try await store.instances[0].reader.replays(of: [Array(SHA256.hash(data: Array("text7".utf8)))])
        #expect(replays.values.map(\.owner) == [Sample.user("filler7")])
        try await store.erase(Sample.user("filler\(Self.rows)"))
        let operators = TestOperators(store).reader
        for text in ["filler1001", "nothing"] { _ = try await operators.search(text, under: Sample.labels) }
        _ = try await operators.boughtProducts(since: .distantPast, at: store.clock.now)
        _ = try await operators.newestSignedText()
    }

    /// What was sent that reads, or begins otherwise, each text once.
    static func statements(
        in schema: TestSchema, beginningWith verbs: [String] = ["SELECT", "WITH"]
    ) async throws -> [String] {
        let sent = try await schema.rows(
            """
            SELECT CONVERT(argument USING utf8mb4) FROM mysql.general_log
            WHERE command_type = 'Execute'
            """)
        let texts = sent.compactMap { row -> String? in if case .text(let text) = row[0] { text } else { nil } }
        let reads = texts.filter { text in
            verbs.contains { text.hasPrefix($0) } && !text.contains("general_log")
        }
        return Array(
            Dictionary(grouping: reads, by: { $0.prefix(60) }).values.compactMap { $0.max { $0.count < $1.count } })
    }

    private func judge(_ statement: String, in schema: TestSchema) async throws {
        let scans = try await Self.scans(of: statement, in: schema)
        #expect(scans == [], "\(statement.prefix(200))")
    }

    /// The tables that the statement would read from end to end.
    static func scans(of statement: String, in schema: TestSchema) async throws -> [String] {
        // Few rows for ever.
        let small = ["audit_heads", "catalog_versions", "signing_keys"]
        let aliases = ["u", "p", "t", "l", "a", "d", "f", "m", "o", "s", "h", "e", "n", "w"]
        let large = aliases + TestSchema.tables.filter { !small.contains($0) }
        return try await schema.rows("EXPLAIN " + statement).compactMap { row in
            guard case .text(let table) = row[2], large.contains(table), case .text(let type) = row[3],
                !"\(row[9])".contains("json_table")
            else { return nil }
            return type == "ALL" || type == "index" ? "\(table): \(type)" : nil
        }
    }
}
