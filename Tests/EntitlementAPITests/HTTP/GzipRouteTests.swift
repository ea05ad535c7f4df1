import AppStore
import Entitlements
import LedgerStore
import NIOHTTP1
import StoreSimulator
import StrictJSON
import Testing

@testable import EntitlementAPI

/// Bodies and answers in gzip, over a real connection.
struct GzipRouteTests {
    private static let attach = "/api/iap/apple/transactions/attach"
    private static let gzip = [("Content-Encoding", "gzip"), ("Content-Type", "application/json")]

    private static func zipped(_ text: String) throws -> [UInt8] { try #require(Gzip.encoded(Array(text.utf8))) }

    @Test func `a body in gzip is answered like the same body in plain`() async throws {
        try await TestServer.run { server in
            let body = #"{"signedTransactionJWS":"\#(try server.authority.sign(Fixture.pass()).text)"}"#
            let zipped = try await server.send("POST", Self.attach, fields: Self.gzip, bytes: try Self.zipped(body))
            #expect(zipped.status == 200, "\(zipped.body)")
            let plain = try await server.send("POST", Self.attach, body)
            #expect(
                plain.body == zipped.body.replacing(#""attached""#, with: #""already_attached""#, maxReplacements: 1))
            let upper = [("Content-Encoding", "GZIP"), ("Content-Type", "application/json")]
            #expect(
                try await server.send("POST", Self.attach, fields: upper, bytes: try Self.zipped(body)).status == 200)
        }
    }

    @Test func `an operator's act in gzip is the same act for its idempotency key`() async throws {
        try await TestServer.run { server in
            let path = "/api/admin/users/u1/grants"
            let body = #"{"kind":"add_days","tier":"pro","days":3,"reason":"sorry","reference":"t-1"}"#
            let key = [("Idempotency-Key", "k1")]
            let token = Fixture.apiKey(.write)
            let first = try await server.send(
                "POST", path, token: token, fields: key + Self.gzip, bytes: try Self.zipped(body))
            #expect(first.status == 201, "\(first.body)")
            let again = try await server.send("POST", path, body, token: token, fields: key)
            #expect(again.status == 201 && again.body == first.body)
            #expect(again.headers.first(name: "idempotency-replayed") == "true")
        }
    }

    @Test func `other codings, and gzip of who is not known, are 415`() async throws {
        try await TestServer.run { server in
            let body = try Self.zipped(#"{"signedPayload":"x"}"#)
            for coding in ["br", "deflate", "x-gzip", "identity", "gzip, gzip", "gzip,", "gzip;q=1"] {
                let answer = try await server.send(
                    "POST", Self.attach, fields: [("Content-Encoding", coding), Self.gzip[1]], bytes: body)
                #expect(answer.status == 415 && answer.code == "unsupported_media_type", "\(coding)")
                #expect(answer.headers.first(name: "accept-encoding") == "gzip")
            }
            let webhook = try await server.send(
                "POST", "/api/billing/webhooks/apple", token: nil, fields: Self.gzip, bytes: body)
            #expect(webhook.status == 415 && webhook.headers.first(name: "accept-encoding") == "identity")
            let stranger = try await server.send("POST", Self.attach, token: nil, fields: Self.gzip, bytes: [1, 2, 3])
            #expect(stranger.status == 401)
        }
    }

    @Test func `bytes that are no gzip, are cut off, or are a bomb have their codes, and nothing is recorded`()
        async throws
    {
        try await TestServer.run { server in
            let jws = try server.authority.sign(Fixture.pass()).text
            let whole = try Self.zipped(#"{"signedTransactionJWS":"\#(jws)"}"#)
            let padding = String(repeating: " ", count: 64 * 1024)
            let cases: [(String, [UInt8], Int, String)] = [
                ("plain", Array(#"{"signedTransactionJWS":"\#(jws)"}"#.utf8), 400, "invalid_request"),
                ("followed", whole + [0], 400, "invalid_request"), ("twice", whole + whole, 400, "invalid_request"),
                ("cut off", Array(whole.dropLast()), 400, "body_incomplete"),
                ("not JSON", try Self.zipped("x"), 400, "invalid_request"),
                ("over the limit", try Self.zipped(padding + "{}"), 413, "payload_too_large"),
                (
                    "a bomb within the limit", try Self.zipped(String(padding.dropLast(64)) + "{}"), 413,
                    "payload_too_large"
                ),
            ]
            for (name, bytes, status, code) in cases {
                let answer = try await server.send("POST", Self.attach, fields: Self.gzip, bytes: bytes)
                #expect(answer.status == status && answer.code == code, "\(name): \(answer.body)")
            }
            #expect(server.records == 0)
        }
    }

    @Test func `a long answer is sent in gzip to who accepts it, with the tag of the plain one`() async throws {
        try await TestServer.run { server in
            for number in 0..<6 { try await server.sell("pass.30d", as: "p\(number)", .pass) }
            let (status, restore) = ("/api/iap/apple/status", "/api/iap/apple/restore")
            let list = "[\((0..<40).map { "\"text \($0)\"" }.joined(separator: ","))]"
            let plain = try await server.send("POST", restore, list)
            #expect(plain.headers.first(name: "content-encoding") == nil)
            #expect(plain.headers.first(name: "vary")?.contains("Accept-Encoding") == true)
            for field in ["gzip", "deflate, gzip;q=0.5, br", "GZIP"] {
                let zipped = try await server.send("POST", restore, list, fields: [("Accept-Encoding", field)])
                #expect(zipped.headers.first(name: "content-encoding") == "gzip", "\(field)")
                #expect(zipped.body == plain.body)
            }
            for field in ["gzip;q=0", "br", "identity", "xgzip", "*;q=0"] {
                let answer = try await server.send("POST", restore, list, fields: [("Accept-Encoding", field)])
                #expect(answer.headers.first(name: "content-encoding") == nil, "\(field)")
            }
            let asked = [("Accept-Encoding", "gzip")]
            let short = try await server.send("GET", status, fields: asked)
            #expect(short.headers.first(name: "content-encoding") == nil)
            for number in 6..<40 { try await server.sell("pass.30d", as: "p\(number)", .pass) }
            let long = try await server.send("GET", status, fields: asked)
            #expect(long.headers.first(name: "content-encoding") == "gzip", "\(long.body.utf8.count)")
            #expect(try long.json["entitlements"]?.elements?.count == 40)
            let tag = try #require(long.headers.first(name: "etag"))
            #expect(try await server.send("GET", status).headers.first(name: "etag") == tag)
            let known = try await server.send("GET", status, fields: asked + [("If-None-Match", tag)])
            #expect(known.status == 304 && known.headers.first(name: "content-encoding") == nil)
            #expect(known.headers.first(name: "vary") == "Authorization, Accept-Encoding, Origin")
        }
    }

    @Test func `an answer with a secret is never compressed`() async throws {
        try await TestServer.run { server in
            let asked = [("Accept-Encoding", "gzip")]
            for path in ["/api/iap/entitlement-token", "/.well-known/jwks.json", "/api/iap/apple/account-token"] {
                let answer = try await server.send("GET", path, fields: asked)
                #expect(answer.status == 200 && answer.headers.first(name: "content-encoding") == nil, "\(path)")
                #expect(answer.headers.first(name: "vary")?.contains("Accept-Encoding") != true, "\(path)")
            }
        }
    }
}
