import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// What was bought of late is counted by product, from whichever source.
@Suite(.serialized) struct BoughtProductsTests {
    private static let anna = Sample.user("anna")

    /// What was bought since a day, as text. Throws when the database is away.
    private static func bought(since day: Int, _ store: TestStore) async throws -> [String] {
        try await TestOperators(store).reader.boughtProducts(since: Vouchers.day(day), at: store.clock.now).map {
            let names = $0.names.map(\.text).joined(separator: "+")
            return "\($0.space.source) \(names) \($0.space.environment.rawValue) \($0.purchases)"
        }
    }

    @Test func `purchases of the App Store are counted once each, whoever has them, from the day of purchase on`()
        async throws
    {
        try await TestStore.open { store in
            let token = try await store.instances[0].tokens.token(of: Self.anna)
            try await store.attach(Sample.pass("1", of: "pass.7", day: 20), to: Self.anna)
            try await store.attach(
                Sample.pass("1", of: "pass.7", day: 20, signedDay: 25, revokedDay: 25), to: Self.anna)
            try await store.attach(Sample.pass("2", of: "pass.7", day: 21, token: token), to: Sample.user("ben"))
            try await store.attach(Sample.pass("3", of: "pass.7", day: 22, in: .sandbox), to: Self.anna)
            try await store.attach(Sample.pass("4", day: 23), to: Self.anna)
            try await store.attach(Sample.pass("5", of: "old", day: 2), to: Self.anna)
            #expect(
                try await Self.bought(since: 10, store) == [
                    "apple_iap pass.30 Production 1", "apple_iap pass.7 Production 2", "apple_iap pass.7 Sandbox 1",
                ])
            #expect(try await Self.bought(since: 2, store).contains("apple_iap old Production 1"))
            #expect(try await Self.bought(since: 21, store).contains("apple_iap pass.7 Production 1"))
            #expect(try await Self.bought(since: 24, store) == [])
        }
    }

    @Test func `what other sources sold is told with all its names, unless it gives time now`() async throws {
        try await TestStore.open { store in
            try await store.tell(Vouchers.pass("v1", sold: 20), of: Self.anna)
            try await store.tell(Vouchers.pass("v1", sold: 20, stated: 21), of: Self.anna)
            try await store.tell(Vouchers.pass("v2", sold: 22), of: Sample.user("ben"))
            try await store.tell(Vouchers.month("m1", of: "s1", from: 0), of: Self.anna)
            _ = try await store.grant(.credits(5, unit: "coin"), as: "gift", to: Self.anna)
            #expect(try await Self.bought(since: 10, store) == ["voucher kiosk pass+day.30 Production 2"])
            #expect(try await Self.bought(since: 0, store).contains("voucher season Production 1"))
        }
        try await TestStore.withVouchers { store in
            try await store.tell(Vouchers.pass("v1", sold: 20), of: Self.anna)
            try await store.tell(Vouchers.pass("v2", sold: 2), of: Sample.user("ben"))
            #expect(try await Self.bought(since: 10, store) == [])
            #expect(try await Self.bought(since: 0, store) == ["voucher kiosk pass+day.30 Production 1"])
        }
    }

    @Test func `no more than the newest are gone over`() async throws {
        try await TestStore.open { store in
            try await store.attach(Sample.pass("1", of: "pass.7", day: 20), to: Self.anna)
            try await store.tell(Vouchers.pass("v1", sold: 20), of: Self.anna)
            #expect(try await Self.bought(since: 10, store).count == 2)
            for table in ["purchases", "apple_iap_transactions"] {
                let columns = try await store.schema.rows(
                    """
                    SELECT GROUP_CONCAT(column_name) FROM information_schema.columns
                    WHERE table_schema = DATABASE() AND table_name = '\(table)' AND extra <> 'auto_increment'
                        AND column_name NOT IN ('external_id', 'transaction_id', 'purchase_at', 'user_id')
                    """)
                guard case .text(let columns)? = columns.first?.first else { continue }
                let id = table == "purchases" ? "external_id" : "transaction_id"
                let more = table == "purchases" ? "" : ", purchase_at"
                try await store.schema.rows(
                    """
                    INSERT INTO \(table) (\(columns), \(id)\(more))
                    SELECT \(columns), CONCAT('filler', seq)\(more.isEmpty ? "" : ", 0")
                    FROM (SELECT * FROM \(table) WHERE id = 1) t, seq_1_to_\(OperatorReader.newestBought)
                    """)
            }
            #expect(try await Self.bought(since: 10, store) == [])
        }
    }

    @Test func `the newest signed text is found with its header, however it is kept`() async throws {
        try await TestStore.open { store in
            let reader = TestOperators(store).reader
            #expect(try await reader.newestSignedText() == nil)
            try await store.attach(Sample.pass("1"), to: Self.anna, text: "head.one.signature")
            store.clock.now = store.clock.now + 5_000
            try await store.attach(Sample.pass("2"), to: Self.anna, text: "other.two.signature")
            let newest = try #require(try await reader.newestSignedText())
            #expect(newest.recordedAt == store.clock.now && newest.header == "other")
            try await store.schema.rows("DELETE FROM signed_texts WHERE state_id = 2")
            #expect(try await reader.newestSignedText()?.header == "head")
        }
    }

    @Test func `a server tells its version, its clock and that it takes writes`() async throws {
        try await TestStore.open { store in
            let server = try #require(try await DatabaseServer.read(in: store.pool))
            #expect(server.version.contains("MariaDB") && server.takesWrites)
            #expect(server.now > Instant(milliseconds: 1_767_225_600_000))
        }
    }
}
