import AppStore
import Foundation
import MariaDB
import StoreSimulator
import Support
import Testing

extension EndToEnd {
    /// What names people outside this server stays at the door, and goes with them (`semantics.md` §5, *Names at the
    /// door*).
    @Suite struct Door {
        /// What names anna.
        private struct Names {
            static let user = "anna.at.the.door"
            let user = Names.user
            let account = "7048974699033839190000"
            let device = "phone-of-anna"
            let deviceAtTill = "tablet-of-anna"
            let deviceName = "Anna's very own phone"
            let order = "anna's own order"
            let orderAtTill = "anna's order at the till"
            let outage = "outage of the door"
            let keys = (1...9).map { "key-of-anna-\($0)" }
            let token: UUID

            /// Where each of them stands.
            var tables: [String: Set<String>] {
                let nowhere = [account, token.uuidString, token.uuidString.lowercased()] + keys
                return [
                    user: ["users"], device: ["notes"], deviceName: ["notes"], order: ["notes"],
                    orderAtTill: ["audit_notes", "notes"], deviceAtTill: ["audit_notes", "notes"],
                    outage: ["audit_notes", "notes"],
                ].merging(nowhere.map { ($0, []) }) { $1 }
            }
        }

        @Test func `no table but those of words holds a name, and an erasure leaves none and changes nothing else`()
            async throws
        {
            let backend = try await EndToEndBackend.open(["GATEPASS_CREDITS_USER_SPEND": "true"])
            let bought = EndToEndBackend.sale("pass.30", at: now - day)
            let bens = try backend.server.sign(bought)
            #expect(try await backend.server.attach(bens, as: "ben").string("outcome") == "attached")
            let names = try await Self.act(at: backend)
            let before = try await backend.server.schema.dump()
            for (name, tables) in names.tables { #expect(Self.tables(with: name, in: before) == tables, "\(name)") }
            #expect(Self.tables(with: Self.bytes(of: names.token), in: before) == ["account_tokens"])
            let at = "?explain=1&history=1&at=" + rfc3339(now)
            let told = try await backend.server.status(of: "ben", at)

            #expect(try await backend.act("erase", for: names.user, key: "key-of-anna-erased").status == 204)
            let after = try await backend.server.schema.dump()
            for (name, _) in names.tables where name != names.outage {
                #expect(Self.tables(with: name, in: after) == [], "\(name)")
            }
            #expect(Self.tables(with: Self.bytes(of: names.token), in: after) == [])
            for table in ["ledger_entries", "purchases", "apple_iap_transactions", "subscriptions", "purchase_holders"]
            {
                #expect(after[table] == before[table], "\(table)")
            }
            #expect(after["signed_texts"]?.count == 1, "ben's")
            #expect(try await backend.server.status(of: "ben", at).body == told.body)
            let again = try await backend.server.attach(bens, as: "ben")
            #expect(again.string("outcome") == "already_attached" && again.string("status.tier") == "pro")
            #expect(
                try await backend.server.attach(backend.server.sign(bought.signed(at: now)), as: "ben").status == 200)
            let verified = try await backend.server.command(["audit", "verify"])
            #expect(verified.status == 0, "\(verified.text)")
            #expect(try await backend.server.end() == 0)
        }

        @Test func `an export and the lists of operators show labels, and a search finds whom a token was issued to`()
            async throws
        {
            let backend = try await EndToEndBackend.shared
            let user = "labelled" + newID()
            let issued = try await backend.server.send("GET", "/api/iap/apple/account-token", as: user)
            let token = try #require(issued.string("app_account_token"))
            var pass = EndToEndBackend.sale("pass.30", at: now - day)
            (pass.appAccountToken, pass.appTransactionId) = (token, user + "-account")
            try await backend.attach(pass, to: user)
            let export = try await backend.look("export", of: user)
            #expect(export.string("account_tokens.0.token") == token)
            let label = try #require(export.string("account_tokens.0.label"))
            #expect(export.string("transactions.0.app_account_token") == label && label.count == 22)
            #expect(
                export.string("transactions.0.app_transaction_id")?.count == 22 && !export.text.contains(user + "-a"))
            let listed = try await backend.ask("transactions?limit=1")
            #expect(listed.string("data.0.apple_account") == export.string("transactions.0.app_transaction_id"))
            for text in [token, token.uppercased()] {
                let found = try await backend.ask("search?q=" + text)
                #expect(found.string("data.0.kind") == "account_token" && found.string("data.0.user_id") == user)
            }
            #expect(try await backend.ask("search?q=" + label).count("data") == 0)
            #expect(try await backend.act("erase", for: user).status == 204)
            #expect(try await backend.ask("search?q=" + token).count("data") == 0)
        }

        /// Lets anna and the backend do whatever a name goes into. Throws when no whole answer came.
        private static func act(at backend: EndToEndBackend) async throws -> Names {
            let server = backend.server
            let issued = try await server.send("GET", "/api/iap/apple/account-token", as: Names.user)
            let names = Names(token: try #require(issued.string("app_account_token").flatMap { UUID(uuidString: $0) }))
            for product in ["pass.30", "credits.100"] {
                var sale = EndToEndBackend.sale(product, at: now - day)
                (sale.appTransactionId, sale.appAccountToken) = (names.account, names.token.uuidString)
                #expect(try await backend.attach(sale, to: names.user).string("outcome") == "attached")
            }
            for (number, (path, body)) in [
                ("credits/credit/spend", #"{"amount":3,"reference":"\#(names.order)"}"#),
                ("credits/credit/reservations", #"{"amount":3,"ttl_seconds":60}"#),
                ("devices", #"{"device_id":"\#(names.device)","name":"\#(names.deviceName)"}"#),
            ].enumerated() {
                let key = [("Idempotency-Key", names.keys[number])]
                let done = try await server.send("POST", "/api/" + path, Array(body.utf8), as: names.user, fields: key)
                #expect((200...201).contains(done.status), "\(path): \(done.text)")
            }
            for (number, (path, body)) in [
                ("credits/credit/spend", #"{"amount":3,"reference":"\#(names.orderAtTill)"}"#),
                ("credits/credit/reservations", #"{"amount":3,"ttl_seconds":60}"#),
                ("devices", #"{"device_id":"\#(names.deviceAtTill)"}"#),
                (
                    "grants",
                    #"{"kind":"add_days","tier":"pro","days":3,"reason":"r","reference":"\#(names.orderAtTill)"}"#
                ),
                ("devices/\(names.deviceAtTill)/suspend", #"{"reason":"\#(names.orderAtTill)"}"#),
            ].enumerated() {
                let done = try await backend.act(path, body, for: names.user, key: names.keys[3 + number])
                #expect((200...201).contains(done.status), "\(path): \(done.text)")
            }
            let run =
                #"{"from":"\#(rfc3339(now - day / 2))","to":"\#(rfc3339(now - day / 4))","add_hours":1,"#
                + #""reference":"\#(names.outage)","reason":"r"}"#
            let key = [("Authorization", "Bearer " + backend.secret), ("Idempotency-Key", names.keys[8])]
            let given = try await server.send("POST", "/api/admin/compensations", Array(run.utf8), fields: key)
            #expect(given.integer("given") == 2, "\(given.text)")
            return names
        }

        /// The tables that have these bytes anywhere.
        private static func tables(with text: some Collection<UInt8>, in dump: [String: [[Value]]]) -> Set<String> {
            let wanted = Data(text)
            let holding = dump.filter { _, rows in
                rows.contains {
                    $0.contains { value in
                        switch value {
                        case .text(let text): Data(text.utf8).range(of: wanted) != nil
                        case .bytes(let bytes): Data(bytes).range(of: wanted) != nil
                        case .null, .int64, .uint64, .double: false
                        }
                    }
                }
            }
            return Set(holding.keys)
        }

        private static func tables(with text: String, in dump: [String: [[Value]]]) -> Set<String> {
            tables(with: text.utf8, in: dump)
        }

        private static func bytes(of token: UUID) -> [UInt8] { withUnsafeBytes(of: token.uuid) { Array($0) } }
    }
}
