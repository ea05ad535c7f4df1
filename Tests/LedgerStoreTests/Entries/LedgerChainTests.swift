import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// The hash chain of each ledger leads from its first entry to its head, and any edit is found.
@Suite struct LedgerChainTests {
    @Test func `the chains recompute from the tables and find every edit`() async throws {
        try await TestStore.open { store in
            let token = try await store.instances[0].tokens.token(of: Sample.user(1))
            for user in 1...3 {
                try await store.restore(
                    (0..<4).map { Sample.pass("\(user)-\($0)", day: $0, token: user == 1 ? token : nil) },
                    to: Sample.user(user))
                try await store.attach(
                    Sample.pass("\(user)-1", day: 1, token: user == 1 ? token : nil, signedDay: 9, revokedDay: 8),
                    to: Sample.user(user))
            }
            try await store.grant(.addDays(3, of: TierID("pro")), as: "g", to: Sample.user(2))
            try await store.register(Sample.device("d"), of: Sample.user(2))
            #expect(try await store.schema.counts()["ledger_entries"] == 30)
            #expect(try await LedgerChain.faults(in: store.schema) == [])
            let bens = try await store.schema.number("SELECT pseudonym FROM users WHERE user_id = 'u2'")
            let check = LedgerCheck(pool: store.pool)
            #expect(try await check.faults() == [])
            let edits = [
                "UPDATE ledger_entries SET recorded_at = recorded_at + 1 WHERE user_id = \(bens) AND seq = 3",
                "UPDATE ledger_entries SET effective_at = effective_at - 1 WHERE user_id = \(bens) AND seq = 3",
                "UPDATE ledger_entries SET hash = REPEAT('x', 32) WHERE user_id = \(bens) AND seq = 3",
                "UPDATE ledger_entries SET user_id = 1, seq = 10 WHERE user_id = \(bens) AND seq = 3",
                "DELETE FROM ledger_entries WHERE user_id = \(bens) AND seq = 3",
                "DELETE FROM ledger_entries WHERE user_id = \(bens) AND seq = 12",
                "DELETE FROM ledger_entries WHERE user_id = \(bens)",
                "UPDATE apple_iap_transactions SET statement = REPLACE(statement, 'pass.30', 'basic.30') LIMIT 1",
                "UPDATE ledger_entries SET content = REPLACE(content, 'pass.30', 'basic.30') WHERE user_id = \(bens)",
                "UPDATE ledger_entries SET is_own_act = NOT is_own_act WHERE user_id = \(bens) LIMIT 1",
                "UPDATE ledger_entries SET purchase_id = purchase_id + 1 WHERE user_id = \(bens) AND seq = 3",
                "UPDATE purchases SET external_id = 'other' LIMIT 1",
                "UPDATE ledger_entries SET content = REPLACE(content, 'pro', 'vip')",
                "UPDATE ledger_entries SET content = '[]' WHERE kind = 'bound' AND seq = 2 LIMIT 1",
                "UPDATE notes SET content = REPLACE(content, 'support', 'nobody')",
                "UPDATE notes SET salt = REPEAT('x', 16)", "DELETE FROM notes",
                "UPDATE ledger_entries SET note_digest = NULL WHERE note_digest IS NOT NULL",
                "UPDATE ledger_entries SET kind = 'withdrawn' WHERE kind = 'bound' LIMIT 1",
                "UPDATE users SET ledger_length = ledger_length - 1 WHERE pseudonym = \(bens)",
                """
                UPDATE ledger_entries a JOIN ledger_entries b ON a.user_id = b.user_id AND a.user_id = \(bens)
                    AND a.seq IN (3, 4) AND b.seq = 7 - a.seq
                SET a.state_id = b.state_id, a.hash = b.hash, a.purchase_id = b.purchase_id, a.kind = b.kind,
                    a.content = b.content
                """,
                "DELETE FROM apple_iap_transactions LIMIT 1",
                "DELETE FROM users WHERE pseudonym = \(bens)",
                "UPDATE users SET head_hash = REPEAT('x', 32) WHERE pseudonym = \(bens)",
            ]
            var found = 0
            for edit in edits {
                let kept = try await store.keep()
                try await store.schema.rows(edit)
                #expect(try await !LedgerChain.faults(in: store.schema).isEmpty, "\(edit)")
                #expect(try await !check.faults().isEmpty, "\(edit)")
                found += 1
                try await kept()
                #expect(try await LedgerChain.faults(in: store.schema) == [])
            }
            #expect(found == edits.count && found == 24)
            #expect(try await check.faults() == [])
        }
    }

    @Test func `the integrity check names the person, the place and what is wrong there`() async throws {
        try await TestStore.open { store in
            let anna = Sample.user("anna")
            try await store.restore((0..<3).map { Sample.pass("\($0)") }, to: anna)
            try await store.grant(.addDays(3, of: TierID("pro")), as: "g", to: anna)
            let check = LedgerCheck(pool: store.pool)
            let cases: [(String, [LedgerFault.Defect])] = [
                (
                    "DELETE FROM ledger_entries WHERE seq = 2",
                    [.missing(sequence: 2), .edited(sequence: 3), .notOwned(purchase: 1)]
                ),
                ("UPDATE ledger_entries SET recorded_at = 1 WHERE seq = 2", [.edited(sequence: 2)]),
                (
                    "UPDATE apple_iap_transactions SET statement = REPLACE(statement, 'pass', 'pess') WHERE id = 1",
                    [.stateEdited(sequence: 1, row: 1)]
                ),
                (
                    "UPDATE purchases SET external_id = 'other' WHERE id = 1",
                    [.purchaseEdited(sequence: 1, row: 1), .purchaseEdited(sequence: 2, row: 1)]
                ),
                ("DELETE FROM notes", [.noteEdited(sequence: 7)]),
                ("DELETE FROM ledger_entries WHERE seq = 8", [.head, .notOwned(purchase: 4)]),
            ]
            for (edit, defects) in cases {
                let kept = try await store.keep()
                try await store.schema.rows(edit)
                let faults = try await check.faults(of: anna)
                #expect(faults.map(\.defect) == defects && faults.allSatisfy { $0.user == anna }, "\(edit)")
                try await kept()
            }
            #expect(try await check.faults(of: anna) == [])
            #expect(try await check.faults(of: Sample.user("nobody")) == [])
        }
    }
}
