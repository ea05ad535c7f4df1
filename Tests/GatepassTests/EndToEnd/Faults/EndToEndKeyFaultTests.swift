import AppStore
import Crypto
import Foundation
import MariaDB
import NIOHTTP1
import Support
import Testing

extension EndToEnd {
    /// When the keys of offline tokens are not what they should be: told to operators, never a crash, never a 500.
    @Suite struct KeyFaults {
        private static let advice = "gatepass tokens rotate"

        /// Waits until readiness is `status`; what it answers then.
        private static func ready(_ server: EndToEndServer, _ status: Int) async throws -> EndToEndAnswer {
            for _ in 0..<400 {
                if let answer = try? await server.send("GET", "/readyz"), answer.status == status { return answer }
                try await Task.sleep(for: .milliseconds(25))
            }
            throw EndToEndServer.Failure(log: server.log)
        }

        private static func expectUnsigned(_ server: EndToEndServer) async throws {
            for path in [Offline.tokenPath, Offline.keysPath] {
                let answer = try await server.send("GET", path, as: "anna")
                #expect(answer.status == 503 && answer.string("code") == "unavailable", "\(answer.text)")
                #expect(answer.headers.first(name: "Retry-After") != nil)
                #expect(!answer.text.contains("kid") && !answer.text.contains("key_encryption_key"))
            }
            #expect(try await server.status(of: "anna").status == 200)
        }

        @Test func `another key-encryption key refuses the start and every command that needs it, and harms nobody`()
            async throws
        {
            let first = try await EndToEndServer.start(["GATEPASS_TOKENS_KEY_ENCRYPTION_KEY": Offline.kek])
            let keys = try await Offline.keys(first)
            let second = try await Self.beside(first, ["GATEPASS_TOKENS_KEY_ENCRYPTION_KEY": Offline.otherKEK])
            try await second.launch()
            #expect(try await second.waitForEnd() == 1)
            #expect(second.log.contains(Self.refusal), "\(second.log)")
            for words in [
                ["user", "erase", "anna", "--reason", "r"], ["tokens", "rotate"],
                ["keys", "create", "--scopes", "admin"], ["keys", "revoke", "1"], ["staff", "create", "mara"],
                ["staff", "reset", "mara"], ["staff", "disable", "mara"], ["jobs", "revive", "1"],
                ["webhooks", "replay", "1"], ["catalog", "apply"], ["projection", "rebuild"],
                ["grant", "anna", "--pass", "pro", "--days", "1", "--reason", "r", "--reference", "t"],
            ] {
                let refused = try await second.command(words)
                #expect(refused.status == 1 && refused.text.contains(Self.refusal), "\(words): \(refused.text)")
            }
            for table in ["api_keys", "staff"] {
                #expect(try await first.schema.number("SELECT COUNT(*) FROM \(table)") == 0, "\(table)")
            }
            for words in [["keys", "create", "--scopes", "read"], ["staff", "create", "mara"]] {
                #expect(try await first.command(words).status == 0, "\(words)")
            }
            #expect(!second.log.contains(Offline.otherKEK) && !second.log.contains(Offline.kek))
            let token = try await Offline.token(first, of: "anna")
            #expect(try Offline.read(token, keys, of: "anna").sub == "anna")
            try await first.schema.rows("UPDATE installation_keys SET check_value = REVERSE(check_value)")
            let third = try await Self.beside(first, ["GATEPASS_TOKENS_KEY_ENCRYPTION_KEY": Offline.kek])
            try await third.launch()
            #expect(try await third.waitForEnd() == 1 && third.log.contains(Self.refusal))
            #expect(try await first.end() == 0)
        }

        @Test func `the key-encryption key is changed in two roll-outs, and no token, no purchase and no name is lost`()
            async throws
        {
            let (current, previous) = (
                "GATEPASS_TOKENS_KEY_ENCRYPTION_KEY", "GATEPASS_TOKENS_PREVIOUS_KEY_ENCRYPTION_KEYS"
            )
            let before = try await EndToEndServer.start([current: Offline.kek])
            let token = try await Offline.token(before, of: "anna")
            let jws = try before.sign(EndToEndServer.pass(at: now - day))
            #expect(try await before.attach(jws, as: "anna").string("outcome") == "attached")
            let seals = try await Self.seals(before)
            let first = try await Self.beside(before, [current: Offline.kek, previous: Offline.otherKEK])
            try await first.boot()
            #expect(try await before.end() == 0)
            #expect(try await Self.seals(before) == seals, "the current key is the one it was")
            let second = try await Self.beside(before, [current: Offline.otherKEK, previous: Offline.kek])
            try await second.boot()
            let sealedAgain = try await Self.seals(before)
            #expect(sealedAgain.count == 2 && !zip(seals, sealedAgain).contains { $0 == $1 })
            // Both roll-outs serve at once, and one takes up what the other made.
            let rotated = try await second.command(["tokens", "rotate"])
            #expect(rotated.status == 0, "\(rotated.text)")
            try await Task.sleep(for: .milliseconds(1_100))
            for server in [first, second] {
                let (new, keys) = (try await Offline.token(server, of: "anna"), try await Offline.keys(server))
                for token in [token, new] { #expect(try Offline.read(token, keys, of: "anna").sub == "anna") }
                #expect(try await server.attach(jws, as: "anna").string("outcome") == "already_attached")
            }
            for server in [first, second] { #expect(try await server.end() == 0) }
            let after = try await Self.beside(before, [current: Offline.otherKEK])
            try await after.boot()
            #expect(try Offline.read(token, try await Offline.keys(after), of: "anna").sub == "anna")
            let names = "SELECT COUNT(DISTINCT app_transaction_id) FROM apple_iap_transactions"
            #expect(try await after.attach(after.sign(EndToEndServer.pass(at: now)), as: "anna").status == 200)
            #expect(try await before.schema.number(names) == 1, "the same account has the same label")
            #expect(try await after.end() == 0)
            try await before.launch()
            #expect(try await before.waitForEnd() == 1 && before.log.contains(Self.refusal))
            #expect(before.log.contains("this server does not start"))
        }

        private static let refusal =
            "the pseudonym key in the database cannot be opened with tokens.key_encryption_key: set the key that it "
            + "was sealed with there, or among tokens.previous_key_encryption_keys"

        /// Another instance over the same database. Throws when it cannot be made.
        private static func beside(
            _ server: EndToEndServer, _ changes: [String: String]
        ) async throws -> EndToEndServer {
            let name = try #require(server.environment["GATEPASS_DATABASE_NAME"])
            return try await EndToEndServer(changes.merging(["GATEPASS_DATABASE_NAME": name]) { $1 })
        }

        /// What is sealed under the key-encryption key: the pseudonym key, and the key that signed first. Throws what
        /// the database throws.
        private static func seals(_ server: EndToEndServer) async throws -> [[Value]] {
            try await server.schema.rows("SELECT sealed_key FROM installation_keys")
                + server.schema.rows("SELECT sealed_key FROM signing_keys ORDER BY generation LIMIT 1")
        }

        @Test func `key rows that were tampered with sign nothing and publish nothing`() async throws {
            let server = try await EndToEndServer.start()
            let kept = try await server.schema.rows("SELECT public_jwk, sealed_key FROM signing_keys")
            let foreign = #"{"crv":"P-256","kty":"EC","x":"AAAA","y":"AAAA"}"#
            let tampering = [
                "sealed_key = REVERSE(sealed_key)", "sealed_key = ''", "sealed_key = REPEAT('x', 60)",
                "sealed_key = LEFT(sealed_key, 59)", "public_jwk = '\(foreign)'", "public_jwk = ''",
                "kid = REVERSE(kid)",
            ]
            let kid = try await Offline.keys(server).keys[0].kid
            for change in tampering {
                try await server.schema.rows("UPDATE signing_keys SET \(change)")
                try await Task.sleep(for: .milliseconds(1_100))
                try await Self.expectUnsigned(server)
                #expect(try await Self.ready(server, 503).text.contains("cannot be opened"), "\(change)")
                try await server.schema.rows(
                    "UPDATE signing_keys SET kid = ?, public_jwk = ?, sealed_key = ?",
                    [.text(kid), kept[0][0], kept[0][1]])
                _ = try await Self.ready(server, 200)
                _ = try await Offline.token(server, of: "anna")
            }
            #expect(server.log.contains("signing key \(kid) cannot be opened"))
            #expect(!server.log.contains("unexpected error"))
            #expect(try await server.end() == 0)
        }

        @Test func `a key that somebody puts into the table is not published`() async throws {
            let server = try await EndToEndServer.start()
            _ = try await Offline.token(server, of: "anna")
            let own = P256.Signing.PrivateKey()
            let jwk = try #require(String(data: own.publicKey.rawRepresentation.base64EncodedData(), encoding: .utf8))
            try await server.schema.rows(
                """
                INSERT INTO signing_keys (kid, generation, public_jwk, sealed_key, created_at, signs_until, token_hours)
                SELECT 'mine', 9, ?, sealed_key, created_at, signs_until, token_hours FROM signing_keys
                """, [.text(jwk)])
            try await Task.sleep(for: .milliseconds(1_100))
            #expect(try await Offline.keys(server).keys.count == 1)
            #expect(server.log.contains("their tokens do not verify: mine"))
            #expect(try await server.end() == 0)
        }
    }
}
