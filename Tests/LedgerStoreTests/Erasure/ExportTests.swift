import Entitlements
import Foundation
import LedgerStore
import MariaDB
import Support
import Testing

/// One document holds all that is held of a person, and nothing of anybody else.
@Suite struct ExportTests {
    @Test func `the document is JSON, complete, and about one person`() async throws {
        try await TestStore.open { store in
            let (anna, ben) = (Sample.user("anna"), Sample.user("ben"))
            let token = try await store.instances[0].tokens.token(of: anna)
            try await store.attach(Sample.pass("1", day: 30, token: token), to: anna, text: "jws \"1\"")
            try await store.attach(Sample.pass("bens", day: 30), to: ben)
            try await store.grant(.addDays(3, of: TierID("pro")), as: "g1", to: anna)
            try await store.register(Sample.device("phone1"), of: anna, named: DeviceName("Annas \"Händy\"\n"))
            for user in [anna, ben] {
                let audit = AuditedAct(
                    by: .commandLine, .nameSandboxTester, to: user, details: ["of": user.text], reason: "asked")
                _ = try await store.ledger.record(for: [user], audit: audit) {
                    OperatorAct(on: user, note: Sample.note).nameSandboxTester(true, given: $0)
                }
            }
            let export = Export(pool: store.pool, labels: Sample.labels)
            let document = try #require(try await export.document(of: anna))
            #expect(!document.contains("bens"))
            let json = try #require(try JSONSerialization.jsonObject(with: Data(document.utf8)) as? [String: Any])
            #expect((json["user"] as? [String: Any])?["user_id"] as? String == "anna")
            let counts = json.compactMapValues { ($0 as? [Any])?.count }
            #expect(
                counts == [
                    "account_tokens": 1, "purchases": 2, "transactions": 1, "numbers": 0, "payments": 0,
                    "deliveries": 0, "history_walks": 0, "consumption_requests": 0,
                    "refused_claims": 0, "lookups": 0,
                    "ledger": 6, "subscriptions": 2, "audit": 1,
                ])
            let transactions = try #require(json["transactions"] as? [[String: Any]])
            #expect(transactions[0]["signed_text"] as? String == "jws \"1\"")
            let label = Sample.labels.label(of: token).text
            #expect(transactions[0]["app_account_token"] as? String == label)
            let tokens = try #require(json["account_tokens"] as? [[String: Any]])
            #expect(tokens[0]["token"] as? String == token.description, "as it was given to the person")
            #expect(tokens[0]["label"] as? String == label, "as facts have it")
            let ledger = try #require(json["ledger"] as? [[String: Any]])
            #expect(
                ledger.map { $0["kind"] as? String } == [
                    "purchase_state", "bound", "granted", "bound", "device_registered", "sandbox_tester",
                ])
            #expect((ledger[2]["note"] as? [Any])?[0] as? String == "support")
            #expect((ledger[4]["note"] as? [Any])?[4] as? String == "Annas \"Händy\"\n")
            let audit = try #require(json["audit"] as? [[String: Any]])
            #expect(audit[0]["reason"] as? String == "asked" && audit[0]["actor"] as? String == "command_line")
            #expect((audit[0]["details"] as? [String: String]) == ["of": "anna"])
            #expect(try await export.document(of: Sample.user("nobody")) == nil)
        }
    }
}
