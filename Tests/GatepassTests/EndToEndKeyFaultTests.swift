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

        @Test func `a wrong key-encryption key is told at the start, and a rotation under the new one heals it`()
            async throws
        {
            let right = ["GATEPASS_TOKENS_KEY_ENCRYPTION_KEY": Offline.kek]
            let wrong = ["GATEPASS_TOKENS_KEY_ENCRYPTION_KEY": Offline.otherKEK]
            let first = try await EndToEndServer.start(right)
            let kid = try await Offline.keys(first).keys[0].kid
            let old = try await Offline.token(first, of: "anna")
            let name = try #require(first.environment["GATEPASS_DATABASE_NAME"])
            let second = try await EndToEndServer(wrong.merging(["GATEPASS_DATABASE_NAME": name]) { $1 })
            try await second.launch()
            var answer = try await Self.ready(second, 503)
            for _ in 0..<400 where !answer.text.contains("cannot be opened") {
                try await Task.sleep(for: .milliseconds(25))
                answer = try await Self.ready(second, 503)
            }
            #expect(answer.text.contains("signing key \(kid) cannot be opened") && answer.text.contains(Self.advice))
            #expect(second.log.contains("tokens.key_encryption_key") && second.log.contains(Self.advice))
            try await Self.expectUnsigned(second)
            #expect(try await first.schema.number("SELECT COUNT(*) FROM signing_keys") == 1)
            // The other instance goes on.
            _ = try await Offline.token(first, of: "anna")
            #expect(!second.log.contains(Offline.otherKEK) && !second.log.contains(Offline.kek))

            let rotated = try await second.command(["tokens", "rotate"])
            #expect(rotated.status == 0, "\(rotated.text)")
            _ = try await Self.ready(second, 200)
            let (token, keys) = (try await Offline.token(second, of: "anna"), try await Offline.keys(second))
            #expect(try Offline.read(token, keys, of: "anna").sub == "anna")
            // What cannot be proven to be the server's own is not vouched for.
            #expect(throws: OfflineEntitlement.Refusal.unknownKey) { try Offline.read(old, keys, of: "anna") }
            #expect(try await second.end() == 0)
            #expect(try await first.end() == 0)
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
