import MariaDB
import StoreSimulator
import Support
import Testing

extension EndToEnd {
    /// The recount that histories are judged by, on books that were tampered with.
    @Suite struct Recounts {
        @Test func `a recount finds each thing that does not hold`() async throws {
            let backend = try await EndToEndBackend.open()
            let recount = EndToEndRecount(backend.server.schema)
            let (user, other) = ("books.a", "books.b")
            let lot = EndToEndBackend.sale("credits.100", at: now - day)
            try await backend.attach(lot, to: user)
            try await backend.attach(EndToEndBackend.sale("pass.30", at: now - day), to: user)
            try await backend.attach(lot.refunded(at: now - 1_000, percentage: 50_000), to: user)
            try await backend.spend(20, for: user)
            try await backend.spend(5, for: user)
            let made = try await backend.reserve(10, for: user)
            let id = try #require(made.string("reservation_id"))
            #expect(try await recount.unitsLeft(like: "books.") == 15)
            #expect(
                try await backend.act("credits/reservations/\(id)/commit", #"{"amount":4}"#, for: user).status == 200)
            #expect(try await recount.unitsLeft(like: "books.") == 21)
            let body = #"{"external_id":"\#(lot.transactionId)","to_user_id":"\#(other)","reason":"x"}"#
            #expect(try await backend.act("transfer", body, for: user).status == 200)
            #expect(try await recount.unitsLeft(like: "books.") == 21)
            #expect(try await recount.faults(like: "books.") == [])
            try await Self.expectFindings(recount, backend)
        }

        /// Edits one thing after the other, and puts each back.
        private static func expectFindings(_ recount: EndToEndRecount, _ backend: EndToEndBackend) async throws {
            let schema = backend.server.schema
            let edits = [
                (
                    "UPDATE purchases SET user_id = (SELECT SUM(pseudonym) FROM users) - user_id",
                    "a purchase has not one owner: 4"
                ),
                (
                    "UPDATE ledger_entries SET effective_at = effective_at + 1 WHERE kind = 'received'",
                    "both ledgers of a handover do not agree: 2"
                ),
                (
                    "UPDATE ledger_entries SET content = JSON_SET(content, '$[4]', '21') WHERE kind = 'spent' LIMIT 1",
                    "draws do not add up: 1"
                ),
                (
                    "UPDATE ledger_entries SET content = JSON_SET(content, '$[0]', 'same') WHERE kind = 'spent'",
                    "an idempotency key had two effects: 1"
                ),
                ("UPDATE users SET ledger_length = ledger_length + 1", "a ledger is not as long as its head says: 2"),
                ("UPDATE ledger_entries SET recorded_at = 1", "recording times do not increase: "),
                (
                    "DELETE FROM ledger_entries WHERE state_id IS NOT NULL ORDER BY user_id DESC LIMIT 1",
                    "an owner's ledger lacks a state: 1"
                ),
            ]
            for table in ["purchases", "ledger_entries", "users"] {
                try await schema.rows("CREATE TABLE kept_\(table) AS SELECT * FROM \(table)")
            }
            for (edit, fault) in edits {
                try await schema.rows(edit)
                let found = try await recount.faults(like: "books.")
                #expect(found.contains { $0.hasPrefix(fault) }, "\(edit): \(found)")
                for table in ["purchases", "ledger_entries", "users"] {
                    try await schema.rows("DELETE FROM \(table)")
                    try await schema.rows("INSERT INTO \(table) SELECT * FROM kept_\(table)")
                }
                #expect(try await recount.faults(like: "books.") == [])
            }
            let draw = "JSON_SET(content, '$[5][0][1]', '101')"
            try await schema.rows("UPDATE ledger_entries SET content = \(draw) WHERE kind = 'spent' LIMIT 1")
            #expect(try await recount.unitsLeft(like: "books.") == nil)
            try await backend.server.end()
        }
    }
}
