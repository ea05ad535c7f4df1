import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// A search finds users by the beginning of their ids, and purchases and deliveries by every number of a store.
@Suite(.serialized) struct SearchTests {
    private static let anna = Sample.user("anna")

    private static func found(_ text: String, _ store: TestStore) async throws -> [String] {
        try await OperatorReaderTests.found(text, TestOperators(store).reader)
    }

    /// Makes a store's number lead to another one, as a delivery tells it. Throws when the database is away.
    private static func tell(
        _ number: String, meaning other: String, of transaction: String = "", in store: TestStore
    ) async throws {
        try await store.schema.rows(
            """
            INSERT INTO purchase_numbers (source, app, environment, number, target, transaction_id, recorded_at)
            VALUES ('apple_iap', 'com.airport.vpn', 'Production', ?, ?, ?, 0)
            """, [.text(number), .text(other), .text(transaction)])
    }

    @Test func `users are found by the beginning of their ids, in which every character stands for itself`()
        async throws
    {
        try await TestStore.open { store in
            let users = ["a_b", "a-b", "a_b|1", "aXb", "A_b", "a_", "b", "a_c"]
            for (number, user) in users.enumerated() {
                try await store.attach(Sample.pass("\(number)"), to: Sample.user(user))
            }
            for (text, expected) in [
                ("a_", ["a_", "a_b", "a_b|1", "a_c"]), ("a_b", ["a_b", "a_b|1"]), ("a_b|1", ["a_b|1"]),
                ("a", ["a-b", "aXb", "a_", "a_b", "a_b|1", "a_c"]), ("A", ["A_b"]), ("c", []), ("a%", []), ("a_%", []),
                ("_", []), ("a b", []),
            ] {
                #expect(try await Self.found(text, store) == expected.map { "user of \($0)" }, "\(text)")
            }
        }
    }

    @Test func `no more than 100 things of a kind are found, the first in order`() async throws {
        try await TestStore.open { store in
            try await store.schema.rows(
                "INSERT INTO users (user_id, created_at) SELECT CONCAT('u', 1000 + seq), 0 FROM seq_1_to_150")
            for number in 0..<130 {
                _ = try await InboxTests.inbox(in: store).receive(
                    InboxTests.delivery(
                        "n\(number)", text: InboxTests.text("\(number)"), saying: "\(number)",
                        about: ExternalID("77")))
            }
            let users = try await Self.found("u", store)
            #expect(users.count == OperatorReader.maximumFound && users.first == "user of u1001")
            #expect(users.last == "user of u1100")
            let deliveries = try await Self.found("77", store)
            #expect(deliveries.count == OperatorReader.maximumFound, "the newest")
            #expect(deliveries.first == "delivery n129 77 of nobody" && deliveries.last == "delivery n30 77 of nobody")
        }
    }

    @Test func `a grant is found by its id, and a purchase by each number that leads to it, however far`() async throws
    {
        try await TestStore.open { store in
            try await store.attach(Sample.pass("sub_1"), to: Self.anna)
            try await store.grant(.addDays(3, of: TierID("pro")), as: "g1", to: Self.anna)
            try await Self.tell("ch_1", meaning: "pi_1", in: store)
            try await Self.tell("pi_1", meaning: "in_1", in: store)
            try await Self.tell("in_1", meaning: "sub_1", of: "period", in: store)
            try await Self.tell("sub_1", meaning: "ch_1", in: store)
            try await Self.tell("ch_2", meaning: "pi_2", in: store)
            #expect(try await Self.found("g1", store) == ["grant g1 of anna"])
            for number in ["ch_1", "pi_1", "in_1"] {
                #expect(try await Self.found(number, store) == ["number sub_1 of anna"], "\(number)")
            }
            for number in ["ch_2", "pi_2", "ch_", "CH_1", "ch_11"] {
                #expect(try await Self.found(number, store) == [], "\(number)")
            }
            // The same number in another account is another number.
            try await store.schema.rows(
                """
                INSERT INTO purchase_numbers (source, app, environment, number, target, transaction_id, recorded_at)
                VALUES ('apple_iap', 'com.airport.vpn', 'Sandbox', 'ch_3', 'sub_1', '', 0)
                """)
            #expect(try await Self.found("ch_3", store) == [])
            _ = try await TestOperators(store).erasure(at: store.clock.now).erase(
                Self.anna, by: .commandLine, reason: "asked")
            #expect(try await Self.found("ch_1", store) == ["number sub_1 of nobody"])
            #expect(try await Self.found("g1", store) == ["grant g1 of nobody"])
        }
    }

    @Test func `deliveries are found by their ids, by what they mention and by their customer, and by no label`()
        async throws
    {
        try await TestStore.open { store in
            let customer = Sample.labels.cardCustomer("cus_1", in: .sandbox)
            let uuid = "002e14d5-51f5-4503-b5a8-c3a1af68eb20"
            let inbox = InboxTests.inbox(in: store)
            _ = try await inbox.receive(
                InboxTests.delivery(
                    "evt_1", text: InboxTests.text("1"), saying: "1", about: ExternalID("pi_1"),
                    mentioning: ["ch_1", "re_1", "cs_1", customer.text]))
            _ = try await inbox.receive(
                InboxTests.delivery(uuid, text: InboxTests.text("2"), saying: "2", about: nil))
            for text in ["evt_1", "ch_1", "re_1", "cs_1", "pi_1", "cus_1"] {
                #expect(try await Self.found(text, store) == ["delivery evt_1 pi_1 of nobody"], "\(text)")
            }
            for text in [uuid, uuid.uppercased()] {
                #expect(try await Self.found(text, store) == ["delivery \(uuid) of nobody"], "\(text)")
            }
            for text in [customer.text, "cus_2", "evt_", "re_", "EVT_1x", "user:1", "_"] {
                #expect(try await Self.found(text, store) == [], "\(text)")
            }
            try await store.attach(Sample.pass("pi_1"), to: Self.anna)
            try await store.schema.rows("UPDATE purchases SET environment = 'Sandbox'")
            try await store.schema.rows(
                "INSERT INTO account_tokens (label, user_id, issued_at) SELECT ?, pseudonym, 0 FROM users",
                [.text(customer.text)])
            #expect(
                try await Self.found("cus_1", store) == ["customer of anna", "delivery evt_1 pi_1 of anna"])
            #expect(try await Self.found("re_1", store) == ["delivery evt_1 pi_1 of anna"])
            try await store.schema.rows("UPDATE users SET user_id = NULL")
            #expect(try await Self.found("cus_1", store) == ["delivery evt_1 pi_1 of nobody"])
        }
    }
}
