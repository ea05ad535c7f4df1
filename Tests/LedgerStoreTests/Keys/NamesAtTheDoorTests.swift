import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// What names a person outside this server is kept as labels from its first row on (`semantics.md` §5).
@Suite(.serialized) struct NamesAtTheDoorTests {
    private static let anna = Sample.user("anna")

    private static func fill(_ store: TestStore) async throws -> AccountToken {
        let token = try await store.instances[0].tokens.token(of: anna)
        let pass = Sample.pass("20001", day: 30, token: token, account: "account-7")
        try await store.attach(pass, to: anna, text: "signed.names account-7 and \(token)")
        try await store.attach(
            Sample.sale("20003", of: "coins.100", .consumable, day: 31, account: "account-7"), to: anna)
        _ = try await store.spend(30, of: anna, under: "order-1").get()
        _ = try await store.reserve(10, of: anna, under: "order-2", as: "hold-1").get()
        try await store.register(Sample.device("phone-1"), of: anna, named: DeviceName("Annas phone"))
        let asked = IdempotentRequest(
            of: 1, key: Sample.labels.label(.idempotencyKey, "api_key", "1", "order-3"),
            digest: Label("asked"), about: .user(Sample.labels.label(.user, anna.text), and: nil))
        _ = try await TestOperators(store).idempotency.claim(asked)
        let audit = AuditedAct(by: .commandLine, .nameSandboxTester, to: anna, details: ["why": "it is anna"])
        _ = try await store.ledger.record(for: [anna], audit: audit) {
            OperatorAct(on: anna, note: Note(actor: "support", reason: "anna asked", reference: "T-9"))
                .nameSandboxTester(true, given: $0)
        }
        return token
    }

    @Test func `no name stands in plain but where it is to be deleted`() async throws {
        try await TestStore.open { store in
            let token = try await Self.fill(store)
            let bytes = TestStore.digits(of: token.bytes)
            let places: [String: Set<String>] = [
                "\"anna\"": ["users"], "anna": ["users", "notes", "audit_notes"], bytes: ["account_tokens"],
                token.description: ["signed_texts"], "account-7": ["signed_texts"], "Annas phone": ["notes"],
                "phone-1": ["notes"], "T-9": ["notes"], "order-1": [], "order-2": [], "order-3": [],
            ]
            for (name, tables) in places {
                let elsewhere = try await store.everything(but: tables)
                #expect(!elsewhere.contains(name), "\(name)")
                for table in tables {
                    let all = Set(TestSchema.tables)
                    #expect(
                        try await store.everything(but: all.subtracting([table])).contains(name), "\(name) \(table)")
                }
            }
            let rows = try await store.schema.number("SELECT COUNT(*) FROM account_tokens WHERE token IS NOT NULL")
            #expect(rows == 1)
        }
    }

    @Test func `what is named is found by its label wherever it stands`() async throws {
        try await TestStore.open { store in
            let token = try await Self.fill(store)
            let ledger = try await store.ledger(of: Self.anna)
            let state = try #require(ledger.entries.compactMap(\.fact.state).first)
            #expect(
                state.account == Sample.label(of: "account-7") && state.accountToken == Sample.labels.label(of: token))
            let columns = try await store.schema.rows(
                "SELECT app_transaction_id, app_account_token FROM apple_iap_transactions WHERE id = 1")
            #expect(columns == [[state.account, state.accountToken].map { Value($0?.text) }])
            let labels = try await store.schema.rows("SELECT label FROM account_tokens")
            #expect(labels == [[Value(state.accountToken?.text)]])
            let keys = ledger.entries.compactMap { entry -> Label? in
                switch entry.fact {
                case .credit(.spent(let spend)): spend.idempotencyKey
                case .credit(.reserved(let reservation)): reservation.idempotencyKey
                default: nil
                }
            }
            #expect(keys == ["order-1", "order-2"].map { Sample.labels.label(.idempotencyKey, "anna", $0) })
            let device = Sample.label(of: Sample.device("phone-1"), of: Self.anna)
            #expect(
                ledger.entries.contains { if case .device(let act) = $0.fact { act.device == device } else { false } })
            #expect(device != Sample.label(of: Sample.device("phone-1"), of: Sample.user("ben")), "it is of one user")
        }
    }

    @Test func `a repeat of a key is one of the request, and of nothing else`() async throws {
        try await TestStore.open(instances: 2) { store in
            _ = try await Self.fill(store)
            #expect(try await store.spend(30, of: Self.anna, under: "order-1", via: 1).get().spent == 30)
            #expect(try await store.spend(31, of: Self.anna, under: "order-1") == .failure(.keyReused))
            #expect(try await store.spend(10, of: Self.anna, under: "order-2", via: 1) == .failure(.keyReused))
            #expect(try await store.coins(of: Self.anna) == [60, 0])
        }
    }
}
