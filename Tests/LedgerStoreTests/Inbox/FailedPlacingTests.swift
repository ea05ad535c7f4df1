import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// The rows that a placing leaves which fails, and those of one that refuses.
@Suite struct FailedPlacingTests {
    private static let anna = Sample.user("anna")

    @Test func `a placing whose transaction fails leaves none of its rows, and a later try places it`() async throws {
        try await TestStore.withVouchers { store in
            let month = TestStore.news(
                about: "s1", naming: Self.anna, customer: Label("c"),
                telling: PurchaseNumber("invoice", meaning: TransactionID("m1"), of: ExternalID("s1")),
                stating: Vouchers.month("m1", of: "s1", from: 0))
            let refund = TestStore.refund("charge", of: "payment")
            for (read, outcome) in [(refund, "parked no_purchase"), (month, "applied")] {
                let delivery = try await store.receive(outcome)
                let stored = try await store.dumps()
                // The job goes last: names, numbers, mentions and the outcome are written by then.
                try await store.schema.rows("RENAME TABLE jobs TO jobs_elsewhere")
                await #expect(throws: ServiceFailure.self) { try await store.place(read, as: delivery) }
                try await store.schema.rows("RENAME TABLE jobs_elsewhere TO jobs")
                #expect(try await store.dumps() == stored)
                #expect(try await store.inbox().outcome(of: delivery) == .pending)
                #expect(try await store.place(read, as: delivery) == outcome)
            }
            let counts = try await store.schema.counts()
            #expect(counts["purchase_numbers"] == 2 && counts["account_tokens"] == 1 && counts["ledger_entries"] == 2)
            #expect(counts["jobs"] == 0 && counts["mentions"] == 0)
        }
    }

    @Test func `a placing that the database refuses fails alone, whoever shares its batch`() async throws {
        try await TestStore.withVouchers { store in
            let refused = Set(stride(from: 0, to: 30, by: 5))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<30 {
                    let delivery = try await store.receive("\(number)")
                    // No column holds so long a number.
                    let target = String(repeating: "n", count: refused.contains(number) ? 300 : 20)
                    let read = TestStore.news(
                        about: "s\(number)", naming: Sample.user("u\(number)"), customer: Label("c\(number)"),
                        telling: PurchaseNumber("i\(number)", meaning: target),
                        stating: Vouchers.month("m\(number)", of: "s\(number)", from: 0))
                    group.addTask {
                        let outcome = try? await store.place(read, as: delivery)
                        #expect(outcome == (refused.contains(number) ? nil : "applied"), "\(number)")
                    }
                }
                try await group.waitForAll()
            }
            let counts = try await store.schema.counts()
            for table in ["users", "purchases", "purchase_numbers", "account_tokens"] {
                #expect(counts[table] == 30 - refused.count, "\(table)")
            }
            #expect(counts["ledger_entries"] == 2 * (30 - refused.count) && counts["jobs"] == refused.count)
            let waiting = """
                SELECT external_id FROM inbox_deliveries WHERE state = 'parked' AND reason = 'pending' ORDER BY id
                """
            #expect(try await store.schema.rows(waiting) == refused.sorted().map { [.text("\($0)")] })
            try await store.expectWhole()
        }
    }

    /// The answer of a decision that refuses.
    private struct Refused: Error {}

    @Test func `a refusal writes the evidence that was shown and the delivery that it places, and nothing else`()
        async throws
    {
        try await TestStore.withVouchers { store in
            let delivery = try await store.receive("1")
            let before = try await store.schema.counts()
            let placement = Placement(
                of: delivery, DeliveryOutcome(.parked, because: .noUser), awaiting: ["c"],
                telling: [PurchaseNumber("n", meaning: "v1")])
            let recorded = try await store.ledger.record([Evidence(Vouchers.pass("v1", sold: 20))], for: []) { _ in
                Decision<Void, Refused>(placement: placement, answer: .failure(Refused()))
            }
            #expect(throws: Refused.self) { try recorded.answer.get() }
            let changes = try await store.schema.counts().filter { $0.value != before[$0.key] }
            #expect(
                changes == [
                    "delivery_mentions": 1, "jobs": 0, "purchase_numbers": 1, "purchases": 1, "waiting_statements": 1,
                ])
            #expect(
                try await store.inbox().outcome(of: delivery) == DeliveryOutcome(.parked, because: .noUser))
        }
    }
}
