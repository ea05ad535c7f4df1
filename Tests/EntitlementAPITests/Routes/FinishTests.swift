import AppStore
import Entitlements
import LedgerStore
import NIOCore
import NIOHTTP1
import StoreSimulator
import StrictJSON
import Testing

@testable import EntitlementAPI

/// The members of an answer that an app needs: whether to finish a transaction, else when to send it again.
struct FinishTests {
    private static let attach = "/api/iap/apple/transactions/attach"
    private static let restore = "/api/iap/apple/restore"

    private static func body(_ jws: String, _ rest: String = "") -> String {
        #"{"signedTransactionJWS":"\#(jws)"\#(rest)}"#
    }

    @Test func `what is the user's after the request is finished, the first time and each other time`() async throws {
        try await TestServer.run { server in
            var unknown = Fixture.pass("2")
            unknown.productId = "unknown"
            let refunded = Fixture.pass("3").refunded(at: Fixture.now.milliseconds - 1_000)
            for transaction in [Fixture.pass("1"), unknown, refunded] {
                let jws = try server.authority.sign(transaction).text
                for _ in 1...2 {
                    let answer = try await server.send("POST", Self.attach, Self.body(jws))
                    #expect(try answer.status == 200 && answer.json["finish"]?.flag == true, "\(answer.body)")
                    #expect(!answer.body.contains("\"retry\""))
                }
            }
        }
    }

    @Test func `a purchase that is not the user's asks for the proof once, and then for another sign-in`() async throws
    {
        try await TestServer.run(rules: ClaimRules(unclaimed: .proof)) { server in
            try await server.sell("pass.30d", as: "1", .pass, to: "u2", in: .sandbox)
            _ = try await server.send("GET", "/api/iap/apple/account-token", token: Fixture.token(of: "u2"))
            var named = Fixture.pass("2")
            named.appAccountToken = Fixture.accountToken.uppercased()
            for (transaction, retry) in [
                (Fixture.pass("1"), "after_sign_in"), (named, "after_sign_in"), (Fixture.pass("3"), "never"),
            ] {
                let jws = try server.authority.sign(transaction).text
                let (none, null, sent) = ("", #","signedAppTransaction":null"#, #","signedAppTransaction":"x""#)
                for (rest, retry) in [(none, "with_proof"), (null, "with_proof"), (sent, retry)] {
                    let answer = try await server.send("POST", Self.attach, Self.body(jws, rest))
                    let json = try answer.json
                    #expect(answer.status == 409 && json["finish"]?.flag == false, "\(answer.body)")
                    #expect(json["retry"]?.string == retry && json["retry_after"] == nil, "\(answer.body)")
                }
            }
        }
    }

    @Test func `what became of the owner changes nothing in the answer`() async throws {
        try await TestServer.run { server in
            try await server.sell("pass.30d", as: "1", .pass, to: "u2", in: .sandbox)
            let jws = try server.authority.sign(Fixture.pass("1")).text
            let (owned, withProof) = (Self.body(jws), Self.body(jws, #","signedAppTransaction":"x""#))
            let before = try await [owned, withProof].asyncMap { try await server.send("POST", Self.attach, $0).body }
            let erased = try await server.send(
                "POST", "/api/admin/users/u2/erase", #"{"reason":"asked"}"#, token: Fixture.apiKey(.admin),
                fields: [("Idempotency-Key", "k")])
            #expect(erased.status == 204)
            let after = try await [owned, withProof].asyncMap { try await server.send("POST", Self.attach, $0).body }
            #expect(before == after && before[0].contains("owned_by_another_user"))
        }
    }

    @Test func `a date ahead of the clock is to come again when it is reached, one before 2021 never`() async throws {
        try await TestServer.run { server in
            let now = Fixture.now.milliseconds
            let hour: Int64 = 3_600_000
            for (signedAt, retry, seconds) in [
                (now + hour, "later", "3300"), (now + 48 * hour, "later", "3600"),
                (now + 300_001, "later", "1"), (1_577_836_800_000, "never", nil),
            ] as [(Int64, String, String?)] {
                let jws = try server.authority.sign(Fixture.pass().signed(at: signedAt)).text
                let answer = try await server.send("POST", Self.attach, Self.body(jws))
                let json = try answer.json
                #expect(answer.status == 422 && json["reason"]?.string != nil, "\(answer.body)")
                #expect(json["finish"]?.flag == false && json["retry"]?.string == retry, "\(answer.body)")
                #expect(json["retry_after"]?.integer == seconds)
                #expect(answer.headers.first(name: "retry-after") == seconds)
                let restored = try await server.send("POST", Self.restore, "[\"\(jws)\"]")
                let item = try restored.json["results"]?.elements?.first
                #expect(item?["retry"]?.string == retry && item?["retry_after"]?.integer == seconds)
            }
            let jws = try server.authority.sign(Fixture.pass().signed(at: now + 300_000)).text
            #expect(try await server.send("POST", Self.attach, Self.body(jws)).status == 200)
        }
    }

    @Test func `each item of a restore says finish or retry, and a duplicate what its purchase's item says`()
        async throws
    {
        try await TestServer.run { server in
            try await server.sell("pass.30d", as: "2", .pass, to: "u2", in: .sandbox)
            let mine = try [Int64(1), 2].map { Fixture.now + $0 }.map {
                try server.authority.sign(Fixture.pass("1").signed(at: $0.milliseconds)).text
            }
            let theirs = try server.authority.sign(Fixture.pass("2")).text
            let forged = try (0..<5).map { _ in try Fixture.authority().sign(Fixture.pass("9")).text }
            let items = (mine + [theirs, theirs, "x"]).map { "\"\($0)\"" } + ["7"]
            for (rest, retry) in [("", "with_proof"), (#","signedAppTransaction":"x""#, "after_sign_in")] {
                let list = items.joined(separator: ",")
                let answer = try await server.send("POST", Self.restore, #"{"signedTransactions":[\#(list)]\#(rest)}"#)
                let results = try answer.json["results"]?.elements ?? []
                #expect(results.map { $0["finish"]?.flag } == [true, true, false, false, false, false])
                #expect(results.map { $0["retry"]?.string } == [nil, nil, retry, retry, "never", "never"])
                #expect(results.allSatisfy { $0["retry_after"]?.isNull == true })
                #expect(results[0]["outcome"]?.string == "duplicate_in_request")
                #expect(results[3]["outcome"]?.string == "duplicate_in_request")
            }
            let unjudged = try await server.send(
                "POST", Self.restore, "[" + forged.map { "\"\($0)\"" }.joined(separator: ",") + "]")
            let retries = try unjudged.json["results"]?.elements?.map { $0["retry"]?.string }
            #expect(retries?.count { $0 == "never" } == 4 && retries?.count { $0 == "later" } == 1)
        }
    }

    @Test func `every problem says retry, and where transactions are sent that none is finished`() async throws {
        try await TestServer.run(rateLimits: RateLimits(attachPerMinute: 2, restorePerMinute: 2)) { server in
            for path in [Self.attach, Self.restore] {
                let large = "POST \(path) HTTP/1.1\r\nHost: x\r\nContent-Length: 9999999\r\n\r\n"
                let (refused, _) = try await RawExchange.send([large], to: server.port)
                #expect(refused.contains(#""code":"payload_too_large""#))
                #expect(refused.contains(#""finish":false,"retry":"never""#), "\(refused)")
                for (method, body, token, status, retry) in [
                    ("PUT", "{}", nil, 405, "never"),
                    ("POST", "{}", nil, 401, "after_sign_in"), ("POST", "{}", "u1", 400, "never"),
                    ("POST", "[", "u1", 400, "never"), ("POST", "{}", "u1", 429, "later"),
                ] as [(String, String, String?, Int, String)] {
                    let answer = try await server.send(method, path, body, token: token.map { Fixture.token(of: $0) })
                    let json = try answer.json
                    #expect(answer.status == status && json["retry"]?.string == retry, "\(answer.body)")
                    #expect(json["finish"]?.flag == false, "\(answer.body)")
                    #expect(json["retry_after"]?.integer == answer.headers.first(name: "retry-after"))
                }
            }
            let elsewhere = try await server.send("GET", "/nowhere")
            #expect(try elsewhere.json["finish"] == nil && elsewhere.json["retry"]?.string == "never")
        }
        try await TestServer.run(isOpen: false) { server in
            let jws = try server.authority.sign(Fixture.pass()).text
            let away = try await server.send("POST", Self.attach, Self.body(jws))
            #expect(try away.status == 503 && away.json["retry"]?.string == "later")
            #expect(try away.json["retry_after"]?.integer == "1" && away.json["finish"]?.flag == false)
        }
    }

    @Test func `a body that breaks off is to come again, and one that is whole and no JSON never`() async throws {
        try await TestServer.run { server in
            let jws = try server.authority.sign(Fixture.pass()).text
            let body = Self.body(jws)
            let head = """
                POST \(Self.attach) HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r
                Authorization: Bearer \(Fixture.token(of: "u1"))\r\n
                """
            let whole = head + "Content-Length: \(body.utf8.count)\r\n\r\n"
            let chunked = head + "Transfer-Encoding: chunked\r\n\r\n" + String(body.utf8.count, radix: 16) + "\r\n"
            for text in [whole, whole + "{", whole + body.dropLast(), chunked + body.dropLast(9), chunked + body] {
                let (answer, isClosed) = try await RawExchange.send(
                    [text], to: server.port, breaksOff: true)
                #expect(isClosed && answer.hasPrefix("HTTP/1.1 400 "), "\(answer)")
                #expect(answer.contains(#""code":"body_incomplete""#))
                #expect(answer.contains(#""finish":false,"retry":"later""#))
            }
            #expect(server.records == 0)
            let (answer, _) = try await RawExchange.send(
                [whole + body], to: server.port, breaksOff: true)
            #expect(answer.hasPrefix("HTTP/1.1 200 ") && answer.contains(#""finish":true"#), "\(answer)")
            let short = head + "Content-Length: \(body.utf8.count - 1)\r\n\r\n" + body.dropLast()
            let (refused, _) = try await RawExchange.send(
                [short], to: server.port, breaksOff: true)
            #expect(refused.contains(#""code":"invalid_request""#) && refused.contains(#""retry":"never""#))
        }
    }
}

extension Array {
    fileprivate func asyncMap<Result>(_ body: (Element) async throws -> Result) async throws -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await body(element)) }
        return results
    }
}
