import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// What a decision has written beside the ledgers stands and falls with it.
@Suite(.serialized) struct SideRowTests {
    private let anna = Sample.user("anna")
    private let ben = Sample.user("ben")

    /// What became of a delivery, in a table of the tests' own.
    private struct Delivery: StoredSideRow {
        let id: Int
        var outcome = "applied"
        var table = "deliveries"
        /// Whom and what it is about, as rows of the store's own.
        var about: (user: UserID, purchase: PurchaseKey)?

        func write(beside rows: WrittenRows, in session: Session) throws(DatabaseError) {
            try session.execute(
                SQLStatement(
                    "write \(table)",
                    "INSERT INTO \(table) (id, outcome) VALUES (?, ?) ON DUPLICATE KEY UPDATE outcome = VALUES(outcome)"
                ),
                [
                    Value(id),
                    .text(about.map { "\(outcome) \(names($0.user, $0.purchase, in: rows))" } ?? outcome),
                ])
        }

        private func names(_ user: UserID, _ purchase: PurchaseKey, in rows: WrittenRows) -> String {
            [rows.pseudonym(of: user), rows.row(of: purchase)].map { $0.map { "\($0)" } ?? "none" }
                .joined(separator: " ")
        }
    }

    /// A row that the store does not know.
    private struct Stranger: SideRow {}

    /// Why a decision refuses.
    private struct Refused: Error {}

    private static func opened(_ body: @Sendable (TestStore) async throws -> Void) async throws {
        try await TestStore.open(instances: 2) { store in
            try await make(in: store)
            try await body(store)
        }
    }

    private static func make(in store: TestStore) async throws {
        try await store.schema.rows("CREATE TABLE deliveries (id INT PRIMARY KEY, outcome VARCHAR(32)) ENGINE = InnoDB")
    }

    /// Names somebody a tester, with side rows.
    private func name(
        _ user: UserID, with rows: [any SideRow], for users: Set<UserID>? = nil, in store: TestStore
    ) async throws(ServiceFailure) -> Bool {
        try await store.ledger.record(for: users ?? [user]) { history -> Decision<Bool, Never> in
            let draft = LedgerEntry.Draft(.sandboxTester(true), at: history.now)
            return Decision(drafts: [user: [draft]], sideRows: rows, answer: .success(true))
        }.answer.get()
    }

    private func outcomes(in store: TestStore) async throws -> [[Value]] {
        try await store.schema.rows("SELECT CONCAT(id), outcome FROM deliveries ORDER BY id")
    }

    @Test func `a decision's rows are written with what it appends, also with a refusal and with nothing else`()
        async throws
    {
        try await Self.opened { (store) async throws in
            _ = try await name(anna, with: [Delivery(id: 1), Delivery(id: 2, outcome: "sent")], in: store)
            let refused = try await store.ledger.record(for: [ben]) { _ in
                Decision<Void, Refused>(sideRows: [Delivery(id: 3, outcome: "refused")], answer: .failure(Refused()))
            }
            #expect(throws: Refused.self) { try refused.answer.get() }
            #expect(try await outcomes(in: store) == [["1", "applied"], ["2", "sent"], ["3", "refused"]])
            let users = try await store.schema.rows("SELECT user_id FROM users")
            #expect(users == [["anna"], ["ben"]], "a row may be about whom it was decided for")
        }
    }

    @Test func `what became of evidence is told in its own transaction, of whom and what it is`() async throws {
        try await Self.opened { (store) async throws in
            for (number, day) in [0, 0, 9].enumerated() {
                let pass = Sample.pass("1", signedDay: day)
                let recorded = try await store.ledger.record([TestStore.evidence(pass)], for: [anna]) {
                    [anna] history, catalogue in
                    let decision = Attach(pass, to: anna, proof: nil, in: store.claims(catalogue)).decide(
                        given: history)
                    let outcome = history.isEvidenceNew ? "applied" : "duplicate"
                    return Decision(
                        bindings: decision.bindings,
                        sideRows: [Delivery(id: number, outcome: outcome, about: (anna, pass.key))],
                        answer: decision.answer)
                }
                #expect(recorded.history.isEvidenceNew == (number != 1))
            }
            let person = try await store.schema.number("SELECT pseudonym FROM users WHERE user_id = 'anna'")
            let purchase = try await store.schema.number("SELECT id FROM purchases")
            let expected = ["applied", "duplicate", "applied"].enumerated().map { (number, outcome) -> [Value] in
                [.text("\(number)"), .text("\(outcome) \(person) \(purchase)")]
            }
            #expect(try await outcomes(in: store) == expected)
        }
    }

    @Test func `nothing is written when the batch is rolled back, and the others of the batch are not in it`()
        async throws
    {
        try await Self.opened { (store) async throws in
            // Its ledger is not the request's.
            let misused = await #expect(throws: ServiceFailure.self) {
                _ = try await name(ben, with: [Delivery(id: 1)], for: [anna], in: store)
            }
            #expect(misused?.cause == .misuse)
            #expect(try await outcomes(in: store) == [])
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 10..<40 {
                    group.addTask {
                        let row = Delivery(id: number, table: number % 5 == 0 ? "no_table" : "deliveries")
                        let named = try? await name(Sample.user(number), with: [row], in: store)
                        #expect((named == nil) == (number % 5 == 0))
                    }
                }
                try await group.waitForAll()
            }
            let kept = (10..<40).filter { $0 % 5 != 0 }
            #expect(try await outcomes(in: store).map(\.[0]) == kept.map { .text("\($0)") })
            #expect(try await store.schema.number("SELECT COUNT(*) FROM ledger_entries") == kept.count)
            #expect(try await store.schema.number("SELECT COUNT(*) FROM users") == kept.count)
        }
    }

    @Test func `a row that the store does not know is a misuse, and nothing of the decision is kept`() async throws {
        try await Self.opened { (store) async throws in
            let error = await #expect(throws: ServiceFailure.self) {
                _ = try await name(anna, with: [Delivery(id: 1), Stranger()], in: store)
            }
            #expect(error?.cause == .misuse)
            #expect(try await outcomes(in: store) == [])
            #expect(try await store.ledger(of: anna).entries.isEmpty)
        }
    }

    @Test(arguments: [PacketProxy.Fault.cutBeforeCommit, .cutAfterCommit])
    func `a commit that went unanswered leaves one row`(fault: PacketProxy.Fault) async throws {
        try await TestStore.openBehindProxy { store, proxy in
            let schema = TestSchema(store.settings)
            try await schema.rows("CREATE TABLE deliveries (id INT PRIMARY KEY, outcome VARCHAR(32)) ENGINE = InnoDB")
            for round in 1...5 {
                proxy.inject(fault, count: 1)
                _ = try await name(anna, with: [Delivery(id: round)], in: store)
                proxy.inject(fault, count: 1)
                _ = try await store.ledger.record(for: []) { _ in
                    Decision<Void, Never>(sideRows: [Delivery(id: 100 + round)], answer: .success(()))
                }
            }
            #expect(try await outcomes(in: store).count == 10)
            #expect(try await store.schema.number("SELECT COUNT(*) FROM ledger_entries") == 5)
        }
    }
}
