import AppStore
import Entitlements
import NIOCore
import StoreSimulator
import StrictJSON
import Synchronization
import Testing

@testable import EntitlementAPI

struct AttachRouteTests {
    private static let path = "/api/iap/apple/transactions/attach"

    @Test func `a first attach and its repeat answer alike but for the outcome`() async throws {
        try await TestServer.run { server in
            let jws = try server.authority.sign(Fixture.pass()).text
            let first = try await server.send("POST", Self.path, #"{"signedTransactionJWS":"\#(jws)"}"#)
            #expect(first.status == 200, "\(first.body)")
            let json = try first.json
            #expect(json["outcome"]?.string == "attached" && json["reason"]?.isNull == true)
            #expect(json["transaction"]?["transaction_id"]?.string == "1001")
            #expect(json["transaction"]?["kind"]?.string == "pass")
            #expect(json["transaction"]?["environment"]?.string == "Sandbox")
            #expect(json["transaction"]?["purchased_at"]?.string == "2026-01-10T00:00:00Z")
            #expect(json["transaction"]?["purchased_at_ms"]?.integer == "1768003200000")
            #expect(json["status"]?["tier"]?.string == "pro" && json["status"]?["user_id"]?.string == "u1")
            for name in ["signed_transaction_jws", "signedData"] {
                let again = try await server.send("POST", Self.path, #"{"x":{},"\#(name)":"\#(jws)"}"#)
                #expect(
                    again.body == first.body.replacing(#""attached""#, with: #""already_attached""#, maxReplacements: 1)
                )
            }
        }
    }

    @Test func `bad bodies are named, and nothing is recorded`() async throws {
        try await TestServer.run { server in
            let jws = try server.authority.sign(Fixture.pass()).text
            let bodies: [(String, Int, String)] = [
                ("", 400, "#"), ("[]", 400, "#"), ("\"x\"", 400, "#"), ("{}", 400, "#/signedTransactionJWS"),
                (#"{"signedTransactionJWS":null}"#, 400, "#/signedTransactionJWS"),
                (#"{"signedData":["x"]}"#, 400, "#/signedData"),
                (#"{"signedTransactionJWS":"\#(jws)",}"#, 400, "#"),
                (#"{"signedTransactionJWS":"\#(jws)","signedTransactionJWS":"x"}"#, 400, "#"),
                (#"{"signedTransactionJWS":"\#(jws)","\u0073ignedTransactionJWS":"x"}"#, 400, "#"),
                ("\u{FEFF}" + #"{"signedTransactionJWS":"\#(jws)"}"#, 400, "#"),
                (#"{"signedTransactionJWS":"\#(jws)"}{}"#, 400, "#"),
                (#"{"signedTransactionJWS":"\ud800"}"#, 400, "#"),
                (String(repeating: "[", count: 33) + String(repeating: "]", count: 33), 400, "#"),
                (#"{"signedTransactionJWS":"\#(jws)","signedAppTransaction":7}"#, 400, "#/signedAppTransaction"),
            ]
            for (body, status, pointer) in bodies {
                let answer = try await server.send("POST", Self.path, body)
                #expect(answer.status == status, "\(body.prefix(60)) \(answer.body)")
                #expect(try answer.json["errors"]?.elements?.first?["pointer"]?.string == pointer, "\(body.prefix(60))")
            }
            let long = String(repeating: "a", count: 16 * 1024 + 1)
            for body in [
                #"{"signedTransactionJWS":"\#(long)"}"#, #"{"signedData":"x","signedAppTransaction":"\#(long)"}"#,
            ] {
                let answer = try await server.send("POST", Self.path, body)
                #expect(answer.status == 413 && answer.code == "payload_too_large")
            }
            #expect(server.records == 0)
        }
    }

    @Test func `of several spellings the first that is not null counts`() async throws {
        try await TestServer.run { server in
            let jws = SimulatedPayload.quoted(try server.authority.sign(Fixture.pass()).text)
            let (attach, restore) = ("/api/iap/apple/transactions/attach", "/api/iap/apple/restore")
            for (path, names, value) in [
                (attach, AttachRequest.names, jws), (restore, RestoreRequest.names, "[\(jws)]"),
            ] {
                for given in names {
                    let members = names.map { "\"\($0)\":" + ($0 == given ? value : "null") }
                    let answer = try await server.send("POST", path, "{\(members.joined(separator: ","))}")
                    #expect(answer.status == 200, "\(given): \(answer.body)")
                }
                let nulls = names.map { "\"\($0)\":null" }.joined(separator: ",")
                let answer = try await server.send("POST", path, "{\(nulls)}")
                #expect(answer.status == 400 && answer.body.contains("\"#/\(names[0])\""), "\(answer.body)")
                #expect(answer.body.contains("is required"), "\(answer.body)")
            }
        }
    }

    @Test func `evidence is refused with its reason, and ownership with its code`() async throws {
        try await TestServer.run { server in
            func attach(_ jws: String, _ rest: String = "") async throws -> TestServer.Answer {
                try await server.send("POST", Self.path, #"{"signedTransactionJWS":"\#(jws)"\#(rest)}"#)
            }
            let malformed = try await attach("x")
            #expect(try malformed.status == 422 && malformed.json["reason"]?.string == "malformed")
            var other = Fixture.pass()
            other.bundleId = "com.example.other"
            let wrongApp = try await attach(server.authority.sign(other).text)
            #expect(wrongApp.status == 422 && wrongApp.code == "wrong_app" && !wrongApp.body.contains("reason"))
        }
    }

    @Test func `a purchase that is somebody else's is refused, and one that only its buyer may claim`() async throws {
        try await TestServer.run(rules: ClaimRules(unclaimed: .proof)) { server in
            try await server.sell("pass.30d", as: "1", .pass, to: "u2", in: .sandbox)
            _ = try await server.send("GET", "/api/iap/apple/account-token", token: Fixture.token(of: "u2"))
            var named = Fixture.pass("2")
            named.appAccountToken = Fixture.accountToken.uppercased()
            let shown = [Fixture.pass("1"), named, Fixture.pass("3")]
            for (transaction, refusal) in zip(shown, AttachRefusal.allCases) {
                let jws = try server.authority.sign(transaction).text
                for _ in 1...2 {
                    let refused = try await server.send("POST", Self.path, #"{"signedTransactionJWS":"\#(jws)"}"#)
                    #expect(refused.status == 409 && refused.code == refusal.rawValue, "\(refused.body)")
                }
            }
        }
    }

    @Test func `only a genuine app transaction proves the Apple account`() async throws {
        try await TestServer.run(rules: ClaimRules(unclaimed: .proof)) { server in
            let jws = try server.authority.sign(Fixture.pass()).text
            var account = SimulatedAppTransaction(bundleId: Fixture.app.text, at: 1_768_003_200_000)
            let proof = try server.authority.sign(account).text
            account.appTransactionId = "7"
            let other = try server.authority.sign(account).text
            for (rest, status) in [
                ("", 409), (#","signedAppTransaction":null"#, 409), (#","signedAppTransaction":"x""#, 409),
                (#","signedAppTransaction":"\#(jws)""#, 409), (#","signedAppTransaction":"\#(other)""#, 409),
                (#","signedAppTransaction":"\#(proof)""#, 200),
            ] {
                let answer = try await server.send("POST", Self.path, #"{"signedTransactionJWS":"\#(jws)"\#(rest)}"#)
                #expect(answer.status == status, "\(rest): \(answer.body)")
            }
        }
    }
}

struct RestoreRouteTests {
    private static let path = "/api/iap/apple/restore"

    @Test func `each item has its own verdict`() async throws {
        try await TestServer.run { server in
            let one = try server.authority.sign(Fixture.pass("1")).text
            let two = try server.authority.sign(Fixture.pass("2")).text
            let long = String(repeating: "a", count: 16 * 1024 + 1)
            let list = #"["\#(one)",7,"\#(long)","x","\#(two)","\#(one)",null]"#
            let bodies = [#"{"signedTransactions":\#(list)}"#, #"{"signed_transactions":\#(list)}"#, list]
            for (number, body) in bodies.enumerated() {
                let answer = try await server.send("POST", Self.path, body)
                #expect(answer.status == 200, "\(answer.body)")
                let results = try answer.json["results"]?.elements ?? []
                let known = number == 0 ? "attached" : "already_attached"
                let outcomes = [known, "refused", "refused", "refused", known, "duplicate_in_request", "refused"]
                #expect(results.map { $0["outcome"]?.string } == outcomes)
                #expect(results.map { $0["index"]?.integer } == (0..<7).map { String($0) })
                let codes = [
                    nil, "invalid_request", "payload_too_large", "evidence_invalid", nil, nil, "invalid_request",
                ]
                #expect(results.map { $0["code"]?.string } == codes)
                #expect(results[3]["reason"]?.string == "malformed" && results[4]["transaction_id"]?.string == "2")
                let summary = try answer.json["summary"]
                #expect(summary?[known]?.integer == "2" && summary?["refused"]?.integer == "4")
                #expect(summary?["duplicates"]?.integer == "1" && summary?["recovered"]?.integer == "0")
                #expect(try answer.json["history"]?.string == "not_configured")
                #expect(try answer.json["status"]?["active"] != nil)
            }
        }
    }

    @Test func `status=0 leaves the status out, and nothing else`() async throws {
        try await TestServer.run { server in
            let jws = try server.authority.sign(Fixture.pass("1")).text
            let body = #"["\#(jws)"]"#
            #expect(try await server.send("POST", Self.path, body).status == 200)
            let whole = try await server.send("POST", Self.path + "?status=1", body)
            let short = try await server.send("POST", Self.path + "?status=0", body)
            #expect(whole.status == 200 && short.status == 200)
            let status = try #require(whole.body.firstRange(of: #""status":{"#)?.lowerBound)
            #expect(short.body == whole.body[..<status] + #""status":null}"#)
            for wrong in ["", "2", "00", "true", "-1", "0%20"] {
                try await server.expectRefusal(
                    400, "invalid_request", "POST", Self.path + "?status=" + wrong, body, at: "?status")
            }
            try await server.expectRefusal(
                400, "invalid_request", "POST", Self.path + "?status=0&status=0", body, at: "?status")
        }
    }

    @Test func `behind four forged chains an unknown one is to come again, and then is judged`() async throws {
        try await TestServer.run { server in
            let forged = try (0..<6).map { _ in try Fixture.authority().sign(Fixture.pass("9")).text }
            let good = try server.authority.sign(Fixture.pass("1")).text
            let send = { (texts: [String]) in
                let list = texts.map { "\"\($0)\"" }.joined(separator: ",")
                let answer = try await server.send("POST", Self.path, "[\(list)]")
                #expect(answer.status == 200, "\(answer.body)")
                return try answer.json["results"]?.elements ?? []
            }
            let told = try await send(forged)
            #expect(told.allSatisfy { $0["outcome"]?.string == "refused" })
            let codes = told.map { $0["code"]?.string }
            #expect(codes.count { $0 == "evidence_invalid" } == 4 && codes.count { $0 == "unavailable" } == 2)
            for result in told {
                let reason = result["code"]?.string == "unavailable" ? nil : "chain_untrusted"
                #expect(result["reason"]?.string == reason)
            }
            let first = try await send(forged.flatMap { [$0, $0] } + [good])
            #expect(first.last?["code"]?.string == "unavailable" && first.last?["transaction_id"]?.string == nil)
            #expect(try await send([good]).last?["outcome"]?.string == "attached")
            let known = try await send(forged.flatMap { [$0, $0] } + [good])
            #expect(known.last?["outcome"]?.string == "already_attached")
        }
    }

    @Test func `the list has up to five hundred items`() async throws {
        try await TestServer.run(rateLimits: RateLimits(restorePerMinute: 0)) { server in
            for (body, pointer) in [
                ("{}", "#/signedTransactions"), (#"{"signedTransactions":"x"}"#, "#/signedTransactions"),
                (#"{"signedTransactions":null}"#, "#/signedTransactions"),
                (#"{"signed_transactions":{}}"#, "#/signed_transactions"), ("7", "#"),
                ("[" + Array(repeating: "1", count: 501).joined(separator: ",") + "]", "#"),
                (#"[7,null,{"a":"x"},["x"]]"#, "#"), (#"{"signedTransactions":[{}]}"#, "#/signedTransactions"),
            ] {
                let answer = try await server.send("POST", Self.path, body)
                #expect(answer.status == 400)
                #expect(try answer.json["errors"]?.elements?.first?["pointer"]?.string == pointer)
            }
            let most = "[\"x\"," + Array(repeating: "1", count: 499).joined(separator: ",") + "]"
            #expect(try await server.send("POST", Self.path, most).status == 200)
            let text = String(repeating: "a", count: 8_000)
            let large = #"[\#(Array(repeating: "\"\(text)\"", count: 400).joined(separator: ","))]"#
            #expect(try await server.send("POST", Self.path, large).status == 200)
            // A client library may give up on the answer when it cannot finish writing, so this one is read raw.
            let head =
                "POST \(Self.path) HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                + "Content-Length: \(large.utf8.count + 1_200_000)\r\n\r\n"
            let tooLarge = [head, large, String(repeating: " ", count: 1_200_000)]
            let (refused, isClosed) = try await RawExchange.send(tooLarge, to: server.port)
            #expect(isClosed && refused.hasPrefix("HTTP/1.1 413 ") && refused.contains("payload_too_large"))
        }
    }
}
