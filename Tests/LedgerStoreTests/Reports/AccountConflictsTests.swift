import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// Apple accounts whose purchases several users have are found, the last heard of first.
@Suite(.serialized) struct AccountConflictsTests {
    private static let accounts = (1...7).map { "apple \($0)" } + ["old"]

    /// Lines such as `apple 1 Production: anna 2, ben 1`, read page by page.
    private static func conflicts(limit: Int, _ store: TestStore) async throws -> [String] {
        let reader = TestOperators(store).reader
        var (before, lines): (UInt64?, [String]) = (nil, [])
        repeat {
            let page = try await reader.conflicts(before: before, limit: limit)
            #expect(page.rows.count <= limit)
            lines += page.rows.map { conflict in
                let owners = conflict.owners.map { owner in
                    "\(owner.user?.text ?? "(erased)") \(owner.purchases)"
                        + (owner.refusedClaims > 0 ? " refused \(owner.refusedClaims)" : "")
                }
                let account = Self.accounts.first { Sample.label(of: $0, in: conflict.environment) == conflict.account }
                return "\(account ?? "unknown") \(conflict.environment.rawValue): " + owners.joined(separator: ", ")
            }
            before = page.next
        } while before != nil
        return lines
    }

    private static func sell(
        _ id: String, _ account: String?, to user: String, in environment: StoreEnvironment = .production,
        _ store: TestStore
    ) async throws {
        try await store.attach(Sample.pass(id, account: account, in: environment), to: Sample.user(user))
    }

    @Test func `an account is told once, with whose its purchases are, each purchase counted once`() async throws {
        try await TestStore.open { store in
            try await Self.sell("1", "apple 1", to: "anna", store)
            try await Self.sell("2", "apple 1", to: "ben", store)
            try await Self.sell("3", "apple 1", to: "anna", store)
            try await store.attach(
                Sample.pass("3", account: "apple 1", signedDay: 3, revokedDay: 3), to: Sample.user("anna"))
            for limit in [1, 2, 100] {
                #expect(try await Self.conflicts(limit: limit, store) == ["apple 1 Production: anna 2, ben 1"])
            }
            let app = try await TestOperators(store).reader.conflicts(before: nil, limit: 1).rows.first?.app
            #expect(app == Sample.app)
        }
    }

    @Test
    func `a user with many purchases is no conflict, nor are sandbox and production, nor what has no account or owner`()
        async throws
    {
        try await TestStore.open { store in
            for number in 0..<5 { try await Self.sell("\(number)", "apple 1", to: "anna", store) }
            try await Self.sell("s", "apple 1", to: "ben", in: .sandbox, store)
            try await Self.sell("x", nil, to: "ben", store)
            try await Self.sell("y", nil, to: "anna", store)
            try await Self.sell("0", "apple 1", to: "carl", store)
            try await Self.sell("nobody's", "apple 1", to: "dora", store)
            try await store.schema.rows(
                "UPDATE apple_iap_transactions SET user_id = NULL WHERE transaction_id = 'nobody\\'s'")
            #expect(try await Self.conflicts(limit: 10, store) == [])
            try await Self.sell("t", "apple 1", to: "anna", in: .sandbox, store)
            #expect(try await Self.conflicts(limit: 10, store) == ["apple 1 Sandbox: anna 1, ben 1"])
        }
    }

    @Test func `what goes to another user counts as theirs`() async throws {
        try await TestStore.open { store in
            try await Self.sell("1", "apple 1", to: "anna", store)
            try await Self.sell("2", "apple 1", to: "anna", store)
            try await store.transfer(
                .one(PurchaseName(ExternalID("1"))), from: Sample.user("anna"), to: Sample.user("ben"))
            #expect(try await Self.conflicts(limit: 10, store) == ["apple 1 Production: anna 1, ben 1"])
            try await store.transfer(.all, from: Sample.user("anna"), to: Sample.user("ben"))
            #expect(try await Self.conflicts(limit: 10, store) == [])
        }
    }

    @Test func `a claim that is refused to one who proved the account is told until it is theirs or they are erased`()
        async throws
    {
        try await TestStore.open { store in
            for id in ["1", "2"] { try await Self.sell(id, "apple 1", to: "anna", store) }
            let claims = [
                ("1", "ben", "apple 1"), ("1", "ben", "apple 1"), ("2", "carl", "apple 1"), ("2", "dora", nil),
                ("2", "emil", "apple 2"),
            ]
            for (id, user, proof) in claims {
                let pass = Sample.pass(id, account: "apple 1")
                let answer = try await store.attach(pass, to: Sample.user(user), proof: proof)
                #expect(answer == .failure(.ownedByAnotherUser))
            }
            #expect(try await store.schema.number("SELECT COUNT(*) FROM users") == 3, "who proved nothing is nobody")
            let owned = "apple 1 Production: anna 2"
            #expect(try await Self.conflicts(limit: 1, store) == [owned + ", ben 0 refused 1, carl 0 refused 1"])
            try await store.transfer(
                .one(PurchaseName(ExternalID("1"))), from: Sample.user("anna"), to: Sample.user("ben"))
            let moved = "apple 1 Production: anna 1, ben 1"
            #expect(try await Self.conflicts(limit: 1, store) == [moved + ", carl 0 refused 1"])
            try await store.erase(Sample.user("carl"))
            #expect(try await Self.conflicts(limit: 1, store) == [moved])
        }
    }

    @Test func `a merged guest's refused claims go over, and end where the owner takes the guest in`() async throws {
        try await TestStore.open { store in
            for id in ["1", "2"] { try await Self.sell(id, "apple 1", to: "anna", store) }
            for (id, guest) in [("1", "ben"), ("2", "carl")] {
                try await Self.sell(guest, nil, to: guest, store)
                try await store.attach(
                    Sample.pass(id, account: "apple 1"), to: Sample.user(guest), proof: "apple 1")
            }
            #expect(try await store.merge(Sample.user("ben"), into: Sample.user("anna")).get().count == 1)
            let owned = "apple 1 Production: anna 2"
            #expect(try await Self.conflicts(limit: 1, store) == [owned + ", carl 0 refused 1"])
            #expect(try await store.merge(Sample.user("carl"), into: Sample.user("dora")).get().count == 1)
            #expect(try await Self.conflicts(limit: 1, store) == [owned + ", dora 0 refused 1"])
        }
    }

    @Test func `pages go back to the first without a double, and the last heard of comes first`() async throws {
        try await TestStore.open { store in
            for (number, user) in ["anna", "ben"].enumerated() {
                for account in 1...7 {
                    try await Self.sell("\(account)-\(number)", "apple \(account)", to: user, store)
                }
            }
            try await Self.sell("again", "apple 3", to: "anna", store)
            let expected = [3, 7, 6, 5, 4, 2, 1].map { "apple \($0) Production: anna \($0 == 3 ? 2 : 1), ben 1" }
            for limit in [1, 2, 3, 7, 100] { #expect(try await Self.conflicts(limit: limit, store) == expected) }
        }
    }

    @Test func `an erased person is shown without a name, and is no conflict with one living owner`() async throws {
        try await TestStore.open { store in
            for (id, user) in [("1", "anna"), ("2", "ben"), ("3", "carl")] {
                try await Self.sell(id, "apple 1", to: user, store)
            }
            try await store.erase(Sample.user("anna"))
            #expect(try await Self.conflicts(limit: 1, store) == ["apple 1 Production: (erased) 1, ben 1, carl 1"])
            try await store.erase(Sample.user("ben"))
            #expect(try await Self.conflicts(limit: 1, store) == [])
        }
    }

    @Test func `a page's cost does not grow with what one account bought`() async throws {
        let many = 2 * OperatorReader.rowsGoneOver
        let server = try await PrivateMariaDB.start()
        defer { server.kill() }
        try await TestStore.open(server: server) { store in
            try await Self.sell("1", "old", to: "anna", store)
            try await Self.sell("2", "old", to: "ben", store)
            try await store.schema.rows(
                """
                INSERT INTO apple_iap_transactions (purchase_id, app, environment, transaction_id,
                    original_transaction_id, user_id, app_transaction_id, product_id, product_type, purchase_at,
                    original_purchase_at, quantity, is_family_shared, is_upgraded, signed_at, recorded_at, statement,
                    content_hash, jws_hash)
                SELECT seq + 10, 'com.airport.vpn', 'Production', seq, seq, 1,
                    IF(seq <= \(many), 'whale', CONCAT('a', seq)), 'pass.30', 'Consumable', 0, 0, 1, 0, 0, 0, 0, '[]',
                    REPEAT('a', 32), REPEAT('a', 32)
                FROM seq_1_to_\(2 * many)
                """)
            #expect(try await Self.conflicts(limit: 10, store) == ["old Production: anna 1, ben 1"])
            let reader = OperatorReader(pool: store.pool)
            var (before, most): (UInt64?, Int) = (nil, 0)
            repeat {
                let start = try await Self.rowsRead(store)
                before = try await reader.conflicts(before: before, limit: 10).next
                most = max(most, try await Self.rowsRead(store) - start)
            } while before != nil
            #expect(most < 6 * OperatorReader.rowsGoneOver, "\(most)")
        }
    }

    /// By the whole server, which serves nobody else.
    private static func rowsRead(_ store: TestStore) async throws -> Int {
        try await store.schema.number(
            """
            SELECT CAST(SUM(variable_value) AS INT) FROM information_schema.global_status
            WHERE variable_name IN ('HANDLER_READ_KEY', 'HANDLER_READ_NEXT', 'HANDLER_READ_PREV')
            """)
    }
}
