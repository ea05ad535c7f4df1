import AppStore
import Crypto
import Foundation
import MariaDB
import NIOHTTP1
import StoreSimulator
import Support
import Testing

extension EndToEnd {
    /// Tokens for a device without a connection, from the server to the reader of them in `docs/app.md`.
    @Suite struct Offline {
        typealias Token = OfflineEntitlement

        static let tokenPath = "/api/iap/entitlement-token"
        static let keysPath = "/.well-known/jwks.json"
        static let kek = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
        static let otherKEK = "ICECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

        static func token(_ server: EndToEndServer, of user: String) async throws -> String {
            let answer = try await server.send("GET", tokenPath, as: user)
            #expect(answer.status == 200, "\(answer.text)")
            return try #require(answer.string("token"))
        }

        static func keys(_ server: EndToEndServer) async throws -> Token.KeySet {
            let answer = try await server.send("GET", keysPath)
            #expect(answer.status == 200, "\(answer.text)")
            return try JSONDecoder().decode(Token.KeySet.self, from: Data(answer.body))
        }

        static func read(
            _ token: String, _ keys: Token.KeySet, of user: String, app: String = EndToEndServer.bundleID,
            after seconds: Double = 0
        ) throws(Token.Refusal) -> Token {
            try Token.verified(
                token, keys: keys, user: user, bundleID: app, now: Date().addingTimeInterval(seconds))
        }

        @Test func `what a buyer has is read offline until the token ends, and by nobody else`() async throws {
            let server = try await EndToEndServer.shared
            try await server.attach(server.sign(EndToEndServer.pass(at: now - day)), as: "traveller")
            let (token, keys) = (try await Self.token(server, of: "traveller"), try await Self.keys(server))
            let read = try Self.read(token, keys, of: "traveller")
            #expect(read.active && read.tier == "pro" && read.features == ["premium_servers", "standard_servers"])
            #expect(read.limits == ["saved_trips": 1_000])
            #expect(read.exp - read.iat == 72 * 3_600)
            #expect(throws: Token.Refusal.notMine) { try Self.read(token, keys, of: "thief") }
            #expect(throws: Token.Refusal.notMine) { try Self.read(token, keys, of: "traveller", app: "com.other") }
            #expect(throws: Token.Refusal.unknownKey) { try Self.read(token, Token.KeySet(keys: []), of: "traveller") }
        }

        @Test func `the clock decides to the second`() async throws {
            let server = try await EndToEndServer.shared
            let pass = EndToEndServer.pass(at: now - 30 * day + 3_600_500)
            try await server.attach(server.sign(pass), as: "latecomer")
            let (token, keys) = (try await Self.token(server, of: "latecomer"), try await Self.keys(server))
            let read = try Self.read(token, keys, of: "latecomer")
            #expect(Int64(read.exp) == (pass.purchaseDate + 30 * day) / 1_000)
            func at(_ seconds: Double) throws(Token.Refusal) -> Token {
                try Token.verified(
                    token, keys: keys, user: "latecomer", bundleID: EndToEndServer.bundleID,
                    now: Date(timeIntervalSince1970: seconds))
            }
            for seconds in [read.iat - 300, read.iat, read.exp - 1, read.exp - 0.001] {
                #expect(try at(seconds).active)
            }
            for seconds in [read.iat - 301, read.exp, read.exp + 1, 0, 1e12] {
                #expect(throws: Token.Refusal.notNow) { try at(seconds) }
            }
        }

        @Test func `a token that claims pro ends with pro though basic goes on`() async throws {
            let server = try await EndToEndServer.shared
            let pro = EndToEndServer.pass(at: now - 29 * day)
            let basic = EndToEndServer.pass(of: "com.airport.vpn.basic.30d", at: now - 10 * day)
            for pass in [pro, basic] { try await server.attach(server.sign(pass), as: "falling") }
            let answer = try await server.send("GET", Self.tokenPath, as: "falling")
            #expect(answer.headers.first(name: "Cache-Control") == "private, no-store")
            let keys = try await Self.keys(server)
            let read = try Self.read(try #require(answer.string("token")), keys, of: "falling")
            #expect(read.tier == "pro")
            #expect(Int64(read.exp) == (pro.purchaseDate + 30 * day) / 1_000)
            #expect(answer.string("expires_at") == rfc3339(Int64(read.exp) * 1_000).replacing(".000Z", with: "Z"))
        }

        @Test func `forged tokens do not verify`() async throws {
            let server = try await EndToEndServer.shared
            let (genuine, keys) = (try await Self.token(server, of: "victim"), try await Self.keys(server))
            _ = try Self.read(genuine, keys, of: "victim")
            for forgery in try TokenForgery.all(of: genuine, publishedUnder: keys) {
                #expect(throws: forgery.refusal, "\(forgery.name)") {
                    try Self.read(forgery.token, keys, of: "victim")
                }
            }
            // Nor does the server take its own token for a login's.
            let answer = try await server.send(
                "GET", EndToEndServer.statusPath, fields: [("Authorization", "Bearer " + genuine)])
            #expect(answer.status == 401)
        }

        @Test func `after a rotation old tokens verify until they end, and new ones name another key`() async throws {
            let server = try await EndToEndServer.start(["GATEPASS_TOKENS_KEY_ENCRYPTION_KEY": Self.kek])
            let old = try await Self.token(server, of: "anna")
            let before = try await Self.keys(server)
            #expect(before.keys.count == 1)
            let rotated = try await server.command(["tokens", "rotate"])
            #expect(rotated.status == 0, "\(rotated.text)")
            try await Task.sleep(for: .milliseconds(1_100))  // a ring is used for a second
            let (new, after) = (try await Self.token(server, of: "anna"), try await Self.keys(server))
            #expect(after.keys.map(\.kid).first == before.keys[0].kid && after.keys.count == 2)
            #expect(rotated.text.contains(after.keys[1].kid))
            for token in [old, new] { #expect(try Self.read(token, after, of: "anna").sub == "anna") }
            #expect(throws: Token.Refusal.unknownKey) { try Self.read(new, before, of: "anna") }
            // The last token of the old key has ended: it goes from the set and from the table.
            let past = "UPDATE signing_keys SET retired_at = retired_at - ? WHERE retired_at IS NOT NULL"
            try await server.schema.rows(past, [.int64(72 * 3_600_000)])
            try await Task.sleep(for: .milliseconds(1_100))
            #expect(try await Self.keys(server).keys.count == 2)  // an hour more, for clocks that differ
            try await server.schema.rows(past, [.int64(3_600_000)])
            try await Task.sleep(for: .milliseconds(1_100))
            #expect(try await Self.keys(server).keys.map(\.kid) == [after.keys[1].kid])
            #expect(try await server.schema.number("SELECT COUNT(*) FROM signing_keys") == 1)
            #expect(!server.log.contains(Self.kek))
            #expect(try await server.end() == 0)
        }

        @Test func `a key that ages has its successor published a day before, and signs until then`() async throws {
            let server = try await EndToEndServer.start()
            let first = try await Self.keys(server).keys[0].kid
            try await server.schema.rows("UPDATE signing_keys SET signs_until = ?", [.int64(now + day - 60_000)])
            try await Task.sleep(for: .milliseconds(1_100))
            let keys = try await Self.keys(server)
            #expect(keys.keys.count == 2 && keys.keys[0].kid == first)
            let token = try await Self.token(server, of: "anna")
            #expect(try Self.read(token, Token.KeySet(keys: [keys.keys[0]]), of: "anna").sub == "anna")
            try await server.schema.rows(
                "UPDATE signing_keys SET signs_until = ? WHERE kid = ?", [.int64(now), .text(first)])
            try await Task.sleep(for: .milliseconds(1_100))
            let later = try await Self.token(server, of: "anna")
            #expect(try Self.read(later, Token.KeySet(keys: [keys.keys[1]]), of: "anna").sub == "anna")
            #expect(try Self.read(token, try await Self.keys(server), of: "anna").sub == "anna")
            #expect(try await server.end() == 0)
        }

        @Test func `two instances that start at once make one key and sign with it`() async throws {
            for _ in 0..<TestRun.rounds(2, soak: 20) {
                let first = try await EndToEndServer()
                let name = try #require(first.environment["GATEPASS_DATABASE_NAME"])
                let second = try await EndToEndServer(["GATEPASS_DATABASE_NAME": name])
                #expect(try await first.command(["migrate"]).status == 0)
                async let ready: Void = first.boot()
                try await second.boot()
                try await ready
                let tokens = try await withThrowingTaskGroup(of: String.self) { group in
                    for racer in 0..<16 {
                        group.addTask { try await Self.token(racer % 2 == 0 ? first : second, of: "anna") }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                let keys = try await Self.keys(second)
                #expect(keys.keys.count == 1)
                #expect(try await first.schema.number("SELECT COUNT(*) FROM signing_keys") == 1)
                for token in tokens { #expect(try Self.read(token, keys, of: "anna").sub == "anna") }
                #expect(try await first.end() == 0)
                #expect(try await second.end() == 0)
            }
        }
    }
}
