import AppStore
import MariaDB
import StoreSimulator
import Support
import LedgerStore
import Testing

@testable import Gatepass

extension EndToEnd {
    /// When the program starts and when it does not, and what it says then.
    @Suite struct Starting {
        private static let kek = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
        private static let production = [
            "GATEPASS_ENVIRONMENT": "production", "GATEPASS_TOKENS_KEY_ENCRYPTION_KEY": kek,
        ]

        @Test func `production refuses what is fit for development only, each by its name`() async throws {
            let server = try await EndToEndServer(Self.production)
            let apple = TestRun.repository + "/config/certificates/AppleRootCA-G3.cer"
            let refusals: [(name: String, changes: [String: String], says: String)] = [
                ("no secret", ["GATEPASS_AUTH_HS256_SECRET": "", "GATEPASS_APPLE_TRUST_ROOTS": apple], "auth"),
                ("a short secret", ["GATEPASS_AUTH_HS256_SECRET": "short"], "GATEPASS_AUTH_HS256_SECRET"),
                (
                    "everybody's secret",
                    ["GATEPASS_AUTH_HS256_SECRET": "gatepass-development-secret-never-for-production"],
                    "GATEPASS_AUTH_HS256_SECRET"
                ),
                ("no key", ["GATEPASS_TOKENS_KEY_ENCRYPTION_KEY": ""], "tokens.key_encryption_key"),
                (
                    "a key of zeros",
                    ["GATEPASS_TOKENS_KEY_ENCRYPTION_KEY": "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="],
                    "GATEPASS_TOKENS_KEY_ENCRYPTION_KEY"
                ),
                ("a setting nobody knows", ["GATEPASS_DATABSE_NAME": "x"], "GATEPASS_DATABSE_NAME"),
                ("no root", ["GATEPASS_APPLE_TRUST_ROOTS": "/nowhere.cer"], "/nowhere.cer"),
                (
                    "no schema", ["GATEPASS_APPLE_TRUST_ROOTS": apple], "gatepass migrate"
                ),
            ]
            for refusal in refusals {
                let ended = try await server.command(["serve"], refusal.changes)
                #expect(ended.status == 1, "\(refusal.name): \(ended.status)")
                #expect(ended.text.contains(refusal.says), "\(refusal.name): \(ended.text)")
                #expect(!ended.text.contains(Self.kek) && !ended.text.contains(EndToEndServer.secret))
            }
        }

        @Test func `a server whose database is missing gives up after thirty seconds of its clock`() async throws {
            let asked = EndToEndCounter()
            let error = await #expect(throws: DatabaseOpening.Refusal.self) {
                try await ServerHere.serving(
                    uptime: {
                        asked.add()
                        return .seconds(10 * asked.count)
                    }, onDatabase: "there_is_none"
                ) { _ in
                    Issue.record("it served")
                }
            }
            let words = error?.description ?? ""
            #expect(words.hasPrefix("the database refuses this server: no connection to there_is_none at "), "\(words)")
            #expect(words.contains("Unknown database 'there_is_none' (1049); see database.name"), "\(words)")
        }

        @Test func `a production start with everything in order is ready once the schema is there`() async throws {
            let apple = TestRun.repository + "/config/certificates/AppleRootCA-G3.cer"
            let server = try await EndToEndServer(
                Self.production.merging(["GATEPASS_APPLE_TRUST_ROOTS": apple]) { first, _ in first })
            let migrated = try await server.command(["migrate"])
            #expect(migrated.status == 0, "\(migrated.text)")
            let again = try await server.command(["migrate"])
            #expect(again.text.contains("nothing to do"))
            try await server.boot()
            // An authority of our own is nothing there.
            let answer = try await server.attach(server.sign(EndToEndServer.pass(at: now - day)), as: "anna")
            #expect(answer.status == 422)
            #expect(answer.string("reason") == "chain_untrusted")
            #expect(try await server.end() == 0)
        }

        @Test func `a schema of another release is refused with what to do`() async throws {
            let server = try await EndToEndServer()
            #expect(try await server.command(["migrate"]).status == 0)
            try await server.schema.rows(
                """
                INSERT INTO schema_migrations (number, name, checksum, is_done)
                SELECT seq, CONCAT('add_', seq), REPEAT('x', 32), TRUE
                FROM seq_\(Schema.accepted.lowerBound + 1)_to_1000
                """)
            let newer = try await server.command(["serve"])
            #expect(newer.status == 1)
            #expect(newer.text.contains("run the newer release"), "\(newer.text)")
            let migrate = try await server.command(["migrate"])
            #expect(migrate.status == 1)
            try await server.schema.rows("DELETE FROM schema_migrations WHERE number > 7")
            let older = try await server.command(["serve"], ["GATEPASS_MIGRATIONS_ON_START": "refuse"])
            #expect(older.status == 1)
            #expect(older.text.contains("gatepass migrate"), "\(older.text)")
        }

        @Test func `texts are kept as long as the settings say, and what they proved for ever`() async throws {
            let server = try await EndToEndServer.start(["GATEPASS_RETENTION_SIGNED_TEXTS_DAYS": "2"])
            let passes = [EndToEndServer.pass(at: now - day), EndToEndServer.pass(at: now - day)]
            for pass in passes {
                #expect(try await server.attach(server.sign(pass), as: "anna").string("outcome") == "attached")
            }
            #expect(try await server.end() == 0)
            try await server.schema.rows(
                "UPDATE apple_iap_transactions SET recorded_at = recorded_at - ? WHERE transaction_id = ?",
                [.int64(3 * day), .text(passes[0].transactionId)])
            try await server.boot()
            let start = ContinuousClock.now
            while try await server.schema.number("SELECT COUNT(*) FROM signed_texts") == 2 {
                try #require(start.duration(to: .now) < .seconds(60), "no text was removed")
                try await Task.sleep(for: .milliseconds(25))
            }
            let kept = try await server.schema.rows(
                "SELECT t.transaction_id FROM signed_texts s JOIN apple_iap_transactions t ON t.id = s.state_id")
            #expect(kept == [[.text(passes[1].transactionId)]])
            let again = try await server.attach(server.sign(passes[0]), as: "anna")
            #expect(again.string("outcome") == "already_attached")
            #expect(try await server.status(of: "anna").string("state") == "active")
            #expect(try await server.end() == 0)
        }

        @Test func `a catalogue file that differs is not applied by a start that should not`() async throws {
            let server = try await EndToEndServer.start()
            let line = "  - {id: com.airport.vpn.pass.new, kind: pass, tier: basic, duration: 7d}"
            try EndToEndServer.write(EndToEndServer.catalogue(adding: line), to: server.directory + "/catalog.yaml")
            #expect(try await server.end() == 0)
            try await server.boot()
            #expect(try await server.send("GET", "/api/iap/apple/products").integer("catalog_version") == 1)
            #expect(server.log.contains("gatepass catalog apply"))
            #expect(try await server.end(by: 2) == 0)
        }
    }
}
