import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// Operators find what they have the name of, and page through everything.
@Suite(.serialized) struct OperatorReaderTests {
    private static let anna = Sample.user("anna")

    /// Lines such as `transaction 1001 1000 of anna`.
    static func found(_ text: String, _ reader: OperatorReader) async throws -> [String] {
        try await reader.search(text, under: Sample.labels).map { found in
            let ids = [found.transaction?.text, found.notification, found.purchase?.text].compactMap(\.self)
            return (["\(found.kind)"] + ids + ["of", found.user?.text ?? "nobody"]).joined(separator: " ")
        }
    }

    private static func key(_ id: String) -> PurchaseKey { Sample.pass(id).key }

    @Test func `a user, a purchase, a transaction and a token are found by their exact names, with whose they are`()
        async throws
    {
        try await TestStore.open { store in
            let reader = TestOperators(store).reader
            try await store.attach(Sample.pass("1000", transaction: "1001"), to: Self.anna)
            let token = try await store.instances[0].tokens.token(of: Self.anna)
            #expect(try await Self.found("anna", reader) == ["user of anna"])
            #expect(try await Self.found("1000", reader) == ["purchase 1000 of anna"])
            #expect(try await Self.found("1001", reader) == ["transaction 1001 1000 of anna"])
            #expect(try await reader.search("1001", under: Sample.labels).first?.key == Self.key("1000"))
            for spelling in [token.description, token.description.uppercased()] {
                #expect(try await Self.found(spelling, reader) == ["accountToken of anna"])
            }
        }
    }

    @Test func `nothing is found by less, by more or by another spelling`() async throws {
        let texts = [
            "anna ", "annaa", "Anna", "ANNA", "nna", "%", "a%", "_nna", "anna%", "100", "10000", "", "ännä",
            "' OR '1'='1",
            String(repeating: "1", count: 256), "00000000-0000-4000-8000-000000000000",
        ]
        try await TestStore.open { store in
            try await store.attach(Sample.pass("1000"), to: Self.anna)
            for text in texts {
                #expect(try await TestOperators(store).reader.search(text, under: Sample.labels) == [], "\(text)")
            }
        }
    }

    @Test func `a person is found by the pseudonym that the audit trail has, also once they are erased`() async throws {
        try await TestStore.open { store in
            let operators = TestOperators(store)
            try await store.attach(Sample.pass("1000"), to: Self.anna)
            let rows = try await store.schema.rows("SELECT CONCAT(pseudonym) FROM users WHERE user_id = 'anna'")
            guard case .text(let pseudonym) = rows[0][0] else { throw Sample.UnknownText() }
            #expect(try await Self.found("#" + pseudonym, operators.reader) == ["user of anna"])
            for text in [pseudonym, "##" + pseudonym, "#0" + pseudonym, "#+" + pseudonym, "#9" + pseudonym, "#", "#x"] {
                #expect(try await operators.reader.search(text, under: Sample.labels) == [], "\(text)")
            }
            _ = try await operators.erasure(at: store.clock.now).erase(Self.anna, by: .commandLine, reason: "asked")
            #expect(try await Self.found("#" + pseudonym, operators.reader) == ["user of nobody"])
        }
    }

    @Test func `one name may be several things, and a purchase nobody's`() async throws {
        try await TestStore.open { store in
            try await store.attach(Sample.pass("1000"), to: Self.anna)
            try await store.attach(Sample.pass("2000"), to: Sample.user("1000"))
            let reader = TestOperators(store).reader
            #expect(
                try await Self.found("1000", reader) == [
                    "user of 1000", "purchase 1000 of anna", "transaction 1000 1000 of anna",
                ])
            try await store.schema.rows("UPDATE purchases SET user_id = NULL")
            #expect(try await Self.found("2000", reader).first == "purchase 2000 of nobody")
        }
    }

    @Test func `pages of transactions go back to the first without a gap or a double`() async throws {
        try await TestStore.open { store in
            for number in 0..<7 { try await store.attach(Sample.pass("\(number)"), to: Self.anna) }
            let reader = TestOperators(store).reader
            var pages: [RecordedTransaction] = []
            while pages.count < 7 {
                let page = try await reader.transactions(before: pages.last?.id, limit: 3)
                #expect(!page.isEmpty)
                if pages.isEmpty { try await store.attach(Sample.pass("meanwhile"), to: Self.anna) }
                pages += page
            }
            #expect(pages.map(\.state.key.externalID.text) == ["6", "5", "4", "3", "2", "1", "0"])
            #expect(pages.allSatisfy { $0.owner == Self.anna })
            #expect(try await reader.transactions(before: pages.last?.id, limit: 3) == [])
            #expect(try await reader.transactions(before: nil, limit: 1)[0].state == Sample.pass("meanwhile"))
        }
    }

    @Test func `no question of an operator or a server reads a whole table`() async throws {
        var options = PrivateMariaDB.Options()
        options.arguments = PlanTests.arguments
        let server = try await PrivateMariaDB.start(options)
        defer { server.kill() }
        try await TestStore.open(server: server) { store in
            for filling in PlanTests.fillings + Self.fillings { try await store.schema.rows(filling) }
            try await store.schema.rows("ANALYZE TABLE \(TestSchema.tables.joined(separator: ", "))")
            try await store.schema.rows("SET GLOBAL general_log = 1")
            let before = try await Self.reads(in: store.schema)
            try await Self.askEverything(of: store)
            let reads = try await Self.reads(in: store.schema) - before
            // As many as the bounds of all pages allow; two tables more, read from end to end, would be noticed.
            #expect(reads < (TestRun.isSoak ? 1_000_000 : 480_000), "\(reads)")
            _ = try await AuditTrailCheck.run(from: TestOperators(store).pool)
            try await store.schema.rows("SET GLOBAL general_log = 0")
            let statements = try await PlanTests.statements(in: store.schema)
            #expect(statements.count >= 9)
            for statement in statements {
                #expect(try await PlanTests.scans(of: statement, in: store.schema) == [], "\(statement.prefix(200))")
            }
        }
    }

    @Test func `a page of deliveries reads a few rows, whatever the filters, however rare and old what they find`()
        async throws
    {
        let server = try await PrivateMariaDB.start()
        defer { server.kill() }
        try await TestStore.open(server: server) { store in
            // What is rare is old. It is 2% of the first tenth.
            try await store.schema.rows(
                """
                INSERT INTO inbox_deliveries (source, app, environment, external_id, content_hash, type, signed_at,
                    received_at, state, reason, purchase)
                SELECT IF(rare, 'stripe', 'apple_iap'), 'a', 'Production', CONCAT('n', seq), UNHEX(SHA2(seq, 256)), 't',
                    seq, seq, IF(rare, 'parked', 'applied'), IF(rare, 'no_user', NULL), CONCAT('p', seq)
                FROM (SELECT seq, seq <= 2000 AND seq % 50 = 0 AS rare FROM seq_1_to_20000) s
                """)
            try await store.schema.rows("ANALYZE TABLE inbox_deliveries")
            let reader = TestOperators(store).reader
            let ends: [Int64?] = [nil, 1_500, 15_000, 19_990]
            for source in [nil, Source.stripe, .appleIAP] {
                for (result, reason) in [
                    (nil, nil), (.applied, nil), (.parked, nil), (.quarantined, nil), (nil, .noUser),
                    (.parked, .noUser),
                ] as [(DeliveryResult?, DeliveryReason?)] {
                    for (start, end) in ends.flatMap({ start in ends.map { (start, $0) } }) {
                        for id in [nil, 1_000, 19_000] as [UInt64?] {
                            let before = try await Self.reads(in: store.schema)
                            let page = try await reader.deliveries(
                                before: id, limit: 20, of: result, because: reason, from: source,
                                since: start.map { Instant(milliseconds: $0) },
                                until: end.map { Instant(milliseconds: $0) })
                            let reads = try await Self.reads(in: store.schema) - before
                            let asked = "\([source?.text, result?.rawValue, reason?.rawValue]) \([start, end]) \([id])"
                            #expect(reads < 1_500, "\(asked)")
                            #expect(page.map(\.id) == page.map(\.id).sorted(by: >), "\(asked)")
                            #expect(page.allSatisfy { $0.id < id ?? .max }, "\(asked)")
                        }
                    }
                }
            }
        }
    }

    /// The number of rows that the server has read so far, with those that counting them reads.
    static func reads(in schema: TestSchema) async throws -> Int {
        try await schema.number(
            """
            SELECT CAST(SUM(VARIABLE_VALUE) AS SIGNED) FROM information_schema.GLOBAL_STATUS
            WHERE VARIABLE_NAME LIKE 'HANDLER_READ%'
            """)
    }

    /// The rows of each table.
    private static let rows = PlanTests.rows

    private static let fillings = [
        """
        INSERT INTO api_keys (name, scopes, secret_hash, created_at)
        SELECT 'filler', 'read', UNHEX(SHA2(seq, 256)), 0 FROM seq_1_to_\(rows)
        """,
        """
        INSERT INTO audit_entries
        SELECT seq, 0, 'filler', 'filler', seq, NULL, REPEAT('a', 32), REPEAT('a', 32), REPEAT('a', 32)
        FROM seq_1_to_\(rows)
        """,
        """
        INSERT INTO waiting_statements
        SELECT seq, UNHEX(SHA2(seq, 256)), 'purchase_state', \(PlanTests.statement("seq")), 0 FROM seq_1_to_\(rows)
        """,
        "INSERT INTO audit_notes SELECT seq, REPEAT('a', 16), '{}', NULL FROM seq_1_to_\(rows)",
        """
        INSERT INTO payment_amounts
        SELECT 'apple_iap', 'com.airport.vpn', 'Production', CONCAT('charge', seq), 'charge', CONCAT('filler', seq),
            seq, 0, 'EUR', 0, 0, 0 FROM seq_1_to_\(rows)
        """,
        """
        INSERT INTO purchase_numbers
        SELECT 'apple_iap', 'com.airport.vpn', 'Production', CONCAT('number', seq), CONCAT('filler', seq), '', 0
        FROM seq_1_to_\(rows)
        """,
        "INSERT INTO audit_heads VALUES (1, \(rows), 0, REPEAT('a', 32))",
        "INSERT INTO jobs (kind, subject, due_at, created_at) SELECT 'delivery', seq, 0, 0 FROM seq_1_to_\(rows)",
        """
        INSERT INTO inbox_deliveries (source, app, environment, external_id, content_hash, type, signed_at, received_at,
            state, purchase)
        SELECT 'stripe', 'stripe', 'Production', CONCAT('evt_', seq), UNHEX(SHA2(seq, 256)), 't', 0, 0, 'applied',
            CONCAT('pi_', seq)
        FROM seq_1_to_\(rows)
        """,
        "INSERT INTO delivery_mentions SELECT CONCAT('ch_', seq), seq, FALSE FROM seq_1_to_\(rows)",
        """
        INSERT INTO purchase_numbers
        SELECT 'stripe', 'stripe', 'Production', CONCAT('ch_', seq), CONCAT('pi_', seq), '', 0 FROM seq_1_to_\(rows)
        """,
    ]

    private static let purchaseFilters = [
        PurchaseFilter(), PurchaseFilter(product: ProductID("pass.30")), PurchaseFilter(user: Sample.user("filler7")),
        PurchaseFilter(source: .stripe, environment: .sandbox), PurchaseFilter(since: Instant(milliseconds: 19_990)),
    ]

    private static func askEverything(of store: TestStore) async throws {
        let operators = TestOperators(store)
        for text in ["filler7", "#7", "ch_7", "evt_7", "77", "00000000-0000-4000-8000-000000000000"] {
            _ = try await operators.reader.search(text, under: Sample.labels)
        }
        for id in [nil, UInt64(19_000)] {
            _ = try await operators.reader.transactions(before: id, limit: 100)
            _ = try await operators.reader.latePassCandidates(before: id, limit: 100)
            _ = try await operators.reader.anomalyCandidates(
                before: id, limit: 100, of: nil, given: store.instances[0].versionCache.snapshot)
            for filter in Self.purchaseFilters {
                _ = try await operators.reader.purchases(filter, before: id, limit: 100)
            }
            _ = try await operators.reader.conflicts(before: id, limit: 100)
            _ = try await operators.reader.sandboxTesters(before: id, limit: 100)
            _ = try await operators.keys.page(before: id, limit: 100)
            _ = try await operators.reader.auditEntries(before: id, limit: 100)
            for state in RecordedJob.State.allCases { _ = try await operators.reader.jobs(state, before: id, limit: 9) }
        }
        for end in [-1, 100, 19_000] as [Int64] {
            _ = try await operators.reader.covered(
                after: CoveragePlace(after: Instant(milliseconds: end)), before: Instant(milliseconds: 20_000),
                limit: 100)
        }
        _ = try await operators.reader.purchases(under: ExternalID("filler7"))
        _ = try await operators.reader.payments(for: [Self.key("filler7"), Self.key("filler8")])
        _ = try await operators.reader.waitingWork()
        _ = try await store.inbox().job(9)
        let (key, secret) = try await operators.create([.read])
        _ = try await operators.keys.key(for: secret)
        _ = try await operators.keys.revoke(key.id, by: .commandLine, reason: nil)
    }
}
