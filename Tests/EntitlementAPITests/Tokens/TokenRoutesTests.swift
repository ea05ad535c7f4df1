import AppStore
import Crypto
import Entitlements
import LedgerStore
import NIOHTTP1
import StoreSimulator
import StrictJSON
import Synchronization
import Testing

@testable import EntitlementAPI

/// The two routes of offline tokens, as HTTP has them.
struct TokenRoutesTests {
    private static let path = "/api/iap/entitlement-token"
    private static let keys = "/.well-known/jwks.json"

    private static func segments(of token: String) throws -> (header: JSONValue, claims: JSONValue) {
        let parts = token.utf8.split(separator: UInt8(ascii: "."))
        #expect(parts.count == 3)
        let bytes = try parts.prefix(2).map { try #require(Base64URL.decode(Array($0))) }
        return (JSONValue(try StrictJSON(bytes[0])), JSONValue(try StrictJSON(bytes[1])))
    }

    @Test func `a token has every claim that the documents name, and lives no longer than the answer says`()
        async throws
    {
        try await TestServer.run { server in
            let body = #"{"signedTransactionJWS":"\#(try server.authority.sign(Fixture.pass()).text)"}"#
            _ = try await server.send("POST", "/api/iap/apple/transactions/attach", body)
            let answer = try await server.send("GET", Self.path)
            #expect(answer.status == 200)
            #expect(answer.headers.first(name: "cache-control") == "private, no-store")
            let json = try answer.json
            #expect(json["expires_at"]?.string == "2026-01-18T12:00:00Z")
            let (header, claims) = try Self.segments(of: try #require(json["token"]?.string))
            #expect(header["alg"]?.string == "ES256")
            #expect(header["typ"]?.string == "entitlement+jwt")
            #expect(header["kid"]?.string == server.world.signingKeys.withLock { $0[0].key.kid })
            let now = Fixture.now.milliseconds / 1_000
            for (name, text) in [("iss", "gatepass"), ("sub", "u1"), ("tier", "pro"), ("state", "active")] {
                #expect(claims[name]?.string == text, "\(name)")
            }
            #expect(claims["expires_at"]?.string == "2026-02-09T00:00:00Z")
            #expect(claims["access_expires_at"]?.string == "2026-02-09T00:00:00Z")
            for (name, number) in [
                ("iat", now), ("nbf", now), ("exp", now + 72 * 3_600), ("tier_rank", 2), ("catalog_version", 3),
            ] { #expect(claims[name]?.integer == String(number), "\(name)") }
            #expect(claims["aud"]?.elements?.map(\.string) == [Fixture.app.text])
            #expect(claims["features"]?.elements?.map(\.string) == ["premium"])
            #expect(claims["environments"]?.elements?.map(\.string) == ["Sandbox"])
            #expect(claims["limits"]?["saved_trips"]?.integer == "1000")
            #expect(claims["add_ons"]?.elements?.count == 0)
            #expect(claims["active"] != nil && claims["expires_at_ms"] != nil)
            // What is not for an app offline is not told.
            for name in ["entitlements", "segments", "credits", "devices", "explanation"] {
                #expect(claims[name] == nil)
            }
        }
    }

    @Test func `a token is for one app, which must be named when there are several`() async throws {
        let two = CatalogueVersions(
            first: CatalogueVersions.Version(
                number: 1, effectiveAt: .distantPast, catalogue: Fixture.catalogue(of: [AppID("a"), AppID("b")])))
        try await TestServer.run(catalogue: two) { server in
            #expect(try await server.send("GET", Self.path).status == 400)
            #expect(try await server.send("GET", Self.path + "?bundle_id=c").status == 404)
            let named = try await server.send("GET", Self.path + "?bundle_id=b")
            let (_, claims) = try Self.segments(of: try #require(try named.json["token"]?.string))
            #expect(claims["aud"]?.elements?.map(\.string) == ["b"])
        }
    }

    @Test func `who has nothing is told so, for an hour`() async throws {
        try await TestServer.run { server in
            let answer = try await server.send("GET", Self.path, token: Fixture.token(of: "nobody"))
            #expect(try answer.json["expires_at"]?.string == "2026-01-15T13:00:00Z")
            let (_, claims) = try Self.segments(of: try #require(try answer.json["token"]?.string))
            #expect(claims["tier"]?.string == "free" && claims["state"]?.string == "none")
            #expect(claims["expires_at"]?.isNull == true)
            #expect(claims["environments"]?.elements?.count == 0)
        }
    }

    @Test func `nobody but a signed-in user gets a token, and its keys are for anyone`() async throws {
        try await TestServer.run { server in
            #expect(try await server.send("GET", Self.path, token: nil).status == 401)
            #expect(try await server.send("POST", Self.path).status == 405)
            let answer = try await server.send("GET", Self.keys, token: nil)
            #expect(answer.status == 200)
            #expect(answer.headers.first(name: "cache-control") == "public, max-age=300")
            let key = try #require(try answer.json["keys"]?.elements?.first)
            for (name, text) in [("kty", "EC"), ("crv", "P-256"), ("use", "sig"), ("alg", "ES256")] {
                #expect(key[name]?.string == text)
            }
            #expect(key["d"] == nil)
            #expect(try await KeySet(Array(answer.body.utf8)).key(named: key["kid"]?.string) != nil)
            let tag = try #require(answer.headers.first(name: "etag"))
            let same = try await server.send("GET", Self.keys, token: nil, fields: [("If-None-Match", tag)])
            #expect(same.status == 304 && same.body.isEmpty)
            server.world.signingKeys.withLock { $0.append(Keys.stored(2)) }
            let more = try await server.send("GET", Self.keys, token: nil, fields: [("If-None-Match", tag)])
            #expect(try more.json["keys"]?.elements?.count == 2)
        }
    }

    @Test func `keys that cannot be opened are a passing fault to clients`() async throws {
        try await TestServer.run { server in
            server.world.signingKeys.withLock {
                $0 = [Keys.stored(under: KeySeal(SymmetricKey(size: .bits256))), Keys.stored(2)]
            }
            for path in [Self.path, Self.keys] {
                let answer = try await server.send("GET", path)
                #expect(answer.status == 503 && answer.code == "unavailable")
                #expect(answer.headers.first(name: "retry-after") == "30")
                #expect(!answer.body.contains("database"))
            }
            #expect(try await server.send("GET", "/api/iap/apple/status").status == 200)
        }
    }
}
