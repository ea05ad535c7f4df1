import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// Operators find what they have the exact name of, and page through everything.
@Suite(.serialized) struct OperatorReaderTests {
    private static let anna = Books.user("anna")

    private static func key(_ id: String) -> PurchaseKey { Books.pass(id).key }

    @Test func `a user, a purchase, a transaction and a token are found by their exact names, with whose they are`()
        async throws
    {
        try await Shop.open { shop in
            let reader = Desk(shop).reader
            try await shop.attach(Books.pass("1000", transaction: "1001"), to: Self.anna)
            let token = try await shop.instances[0].tokens.token(of: Self.anna)
            #expect(try await reader.search("anna", under: Books.labels) == [.user(Self.anna)])
            #expect(
                try await reader.search("1000", under: Books.labels) == [.purchase(Self.key("1000"), owner: Self.anna)])
            #expect(
                try await reader.search("1001", under: Books.labels)
                    == [.transaction(TransactionID("1001"), of: Self.key("1000"), owner: Self.anna)])
            for spelling in [token.description, token.description.uppercased()] {
                #expect(try await reader.search(spelling, under: Books.labels) == [.accountToken(Self.anna)])
            }
        }
    }

    @Test func `nothing is found by less, by more or by another spelling`() async throws {
        let texts = [
            "ann", "anna ", "Anna", "ANNA", "%", "_nna", "100", "10000", "", "ännä", "' OR '1'='1",
            String(repeating: "1", count: 256), "00000000-0000-4000-8000-000000000000",
        ]
        try await Shop.open { shop in
            try await shop.attach(Books.pass("1000"), to: Self.anna)
            for text in texts {
                #expect(try await Desk(shop).reader.search(text, under: Books.labels) == [], "\(text)")
            }
        }
    }

    @Test func `a person is found by the pseudonym that the audit trail has, also once they are erased`() async throws {
        try await Shop.open { shop in
            let desk = Desk(shop)
            try await shop.attach(Books.pass("1000"), to: Self.anna)
            let rows = try await shop.schema.rows("SELECT CONCAT(pseudonym) FROM users WHERE user_id = 'anna'")
            guard case .text(let pseudonym) = rows[0][0] else { throw Books.Missing() }
            #expect(try await desk.reader.search("#" + pseudonym, under: Books.labels) == [.user(Self.anna)])
            for text in [pseudonym, "##" + pseudonym, "#0" + pseudonym, "#+" + pseudonym, "#9" + pseudonym, "#", "#x"] {
                #expect(try await desk.reader.search(text, under: Books.labels) == [], "\(text)")
            }
            _ = try await desk.erasure(at: shop.clock.now).erase(Self.anna, by: .commandLine, reason: "asked")
            #expect(try await desk.reader.search("#" + pseudonym, under: Books.labels) == [.user(nil)])
        }
    }

    @Test func `one name may be several things, and a purchase nobody's`() async throws {
        try await Shop.open { shop in
            try await shop.attach(Books.pass("1000"), to: Self.anna)
            try await shop.attach(Books.pass("2000"), to: Books.user("1000"))
            #expect(
                try await Desk(shop).reader.search("1000", under: Books.labels) == [
                    .user(Books.user("1000")), .purchase(Self.key("1000"), owner: Self.anna),
                    .transaction(TransactionID("1000"), of: Self.key("1000"), owner: Self.anna),
                ])
            try await shop.schema.rows("UPDATE purchases SET user_id = NULL")
            #expect(
                try await Desk(shop).reader.search("2000", under: Books.labels).first
                    == .purchase(Self.key("2000"), owner: nil))
        }
    }

    @Test func `pages of transactions go back to the first without a gap or a double`() async throws {
        try await Shop.open { shop in
            for number in 0..<7 { try await shop.attach(Books.pass("\(number)"), to: Self.anna) }
            let reader = Desk(shop).reader
            var pages: [RecordedTransaction] = []
            while pages.count < 7 {
                let page = try await reader.transactions(before: pages.last?.id, limit: 3)
                #expect(!page.isEmpty)
                if pages.isEmpty { try await shop.attach(Books.pass("meanwhile"), to: Self.anna) }
                pages += page
            }
            #expect(pages.map(\.state.key.externalID.text) == ["6", "5", "4", "3", "2", "1", "0"])
            #expect(pages.allSatisfy { $0.owner == Self.anna })
            #expect(try await reader.transactions(before: pages.last?.id, limit: 3) == [])
            #expect(try await reader.transactions(before: nil, limit: 1)[0].state == Books.pass("meanwhile"))
        }
    }

    @Test func `no question of an operator or a server reads a whole table`() async throws {
        var options = PrivateMariaDB.Options()
        options.arguments = ["--log-output=TABLE", "--general-log=0"]
        let server = try PrivateMariaDB.start(options)
        defer { server.kill() }
        try await Shop.open(server: server) { shop in
            for filling in PlanTests.fillings + Self.fillings { try await shop.schema.rows(filling) }
            try await shop.schema.rows("ANALYZE TABLE \(TestSchema.tables.joined(separator: ", "))")
            try await shop.schema.rows("SET GLOBAL general_log = 1")
            try await Self.askEverything(of: shop)
            try await shop.schema.rows("SET GLOBAL general_log = 0")
            let statements = try await PlanTests.statements(in: shop.schema)
            #expect(statements.count >= 9)
            for statement in statements {
                #expect(try await PlanTests.scans(of: statement, in: shop.schema) == [], "\(statement.prefix(200))")
            }
        }
    }

    private static let fillings = [
        """
        INSERT INTO api_keys (name, scopes, secret_hash, created_at)
        SELECT 'filler', 'read', UNHEX(SHA2(seq, 256)), 0 FROM seq_1_to_20000
        """,
        """
        INSERT INTO audit_entries
        SELECT seq, 0, 'filler', 'filler', seq, NULL, REPEAT('a', 32), REPEAT('a', 32), REPEAT('a', 32) FROM seq_1_to_20000
        """,
        "INSERT INTO audit_notes SELECT seq, REPEAT('a', 16), '{}', NULL FROM seq_1_to_20000",
        "INSERT INTO audit_heads VALUES (1, 20000, 0, REPEAT('a', 32))",
    ]

    private static func askEverything(of shop: Shop) async throws {
        let desk = Desk(shop)
        for text in ["filler7", "#7", "00000000-0000-4000-8000-000000000000"] {
            _ = try await desk.reader.search(text, under: Books.labels)
        }
        for id in [nil, UInt64(19_000)] {
            _ = try await desk.reader.transactions(before: id, limit: 100)
            _ = try await desk.reader.late(before: id, limit: 100)
            _ = try await desk.reader.anomalyCandidates(
                before: id, limit: 100, of: nil, given: shop.instances[0].shelf.snapshot)
            _ = try await desk.reader.conflicts(before: id, limit: 100)
            _ = try await desk.reader.sandboxTesters(before: id, limit: 100)
            _ = try await desk.keys.page(before: id, limit: 100)
            _ = try await AuditTrail.page(before: id, limit: 100, from: desk.pool)
        }
        for end in [-1, 100, 19_000] as [Int64] {
            _ = try await desk.reader.covered(
                after: CoveredUsers.Place(after: Instant(milliseconds: end)), before: Instant(milliseconds: 20_000),
                limit: 100)
        }
        let (key, secret) = try await desk.create([.read])
        _ = try await desk.keys.key(for: secret)
        _ = try await desk.keys.revoke(key.id, by: .commandLine, reason: nil)
        _ = try await AuditVerification.run(from: desk.pool)
    }
}
