import AppStore
import Entitlements
import LedgerStore
import MariaDB
import NIOHTTP1
import StoreSimulator
import StrictJSON
import Support
import Synchronization
import Testing

@testable import EntitlementAPI

/// The Apple account as sign-in (`semantics.md` §5), as HTTP has it.
struct AppleSignInTests {
    @Test func `one Apple account is one user on every device, in its environment, and leaves no row`() async throws {
        try await AppleGate.run { gate in
            let before = try await gate.server.open.schema.dump()
            let answer = try await gate.signIn(try gate.text())
            let json = try answer.json
            #expect(answer.status == 200 && answer.headers["cache-control"] == ["private, no-store"])
            #expect(json["expires_at"]?.string == "2026-02-14T12:00:00Z")
            gate.wait(seconds: 5)
            let (user, token) = try await gate.signedIn(try gate.text { $0["storeType"] = .string("education") })
            #expect(user == json["user_id"]?.string && user.hasPrefix("apple-") && token != json["token"]?.string)
            let (other, _) = try await gate.signedIn(try gate.text(of: "7"))
            let (real, realToken) = try await gate.signedIn(try gate.text { $0["receiptType"] = .string("Production") })
            #expect(Set([user, other, real]).count == 3)
            for (user, token) in [(user, token), (real, realToken)] {
                let status = try await gate.server.send("GET", AppleGate.status, token: token)
                #expect(try status.status == 200 && status.json["user_id"]?.string == user)
            }
            #expect(try await gate.server.open.schema.dump() == before)
            #expect(!gate.server.log.lines.contains { $0.contains("eyJ") }, "the text is a credential")
        }
    }

    @Test func `each text that is not the app's own and whole is refused by its code, at sign-in and at adopt`()
        async throws
    {
        let stranger = try Fixture.authority()
        try await AppleGate.run { gate in
            let genuine = try gate.text()
            var forged = Array(genuine.utf8)
            let place = genuine.utf8.count - 10
            forged[place] = forged[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            let now = Fixture.now.milliseconds
            let own = SimulatedAppTransaction(bundleId: Fixture.app.text, at: now)
            let texts: [(name: String, text: String, verdict: String)] = try [
                ("genuine", genuine, "200"),
                ("no text", "x", "422 malformed"),
                ("another's chain", stranger.sign(own).text, "422 chain_untrusted"),
                (
                    "before the certificate", gate.text { $0["receiptCreationDate"] = .integer(1_699_999_999_999) },
                    "422 chain_expired"
                ),
                ("changed", String(decoding: forged, as: UTF8.self), "422 signature_mismatch"),
                ("without a date", gate.text { $0["receiptCreationDate"] = nil }, "422 payload_malformed"),
                (
                    "a revocation that is none", gate.text { $0["revocationDate"] = .string("x") },
                    "422 payload_malformed"
                ),
                (
                    "of the future", gate.text { $0["receiptCreationDate"] = .integer(now + 301_000) },
                    "422 signed_date_out_of_range"
                ),
                ("a transaction", gate.server.authority.sign(Fixture.pass()).text, "422 wrong_payload_kind"),
                ("another app's", gate.text { $0["bundleId"] = .string("com.other") }, "422 wrong_app"),
                ("Xcode's", gate.text { $0["receiptType"] = .string("Xcode") }, "422 wrong_environment"),
                ("a test's", gate.text { $0["receiptType"] = .string("LocalTesting") }, "422 wrong_environment"),
                (
                    "Xcode's of another app",
                    gate.text {
                        $0["receiptType"] = .string("Xcode")
                        $0["bundleId"] = .string("com.other")
                    }, "422 wrong_app"
                ),
                ("revoked", gate.text { $0["revocationDate"] = .integer(now - 1_000) }, "422 revoked"),
                ("of an old device", gate.text(of: nil), "422 no_apple_account"),
                (
                    "revoked, of an old device",
                    gate.text(of: nil) { $0["revocationDate"] = .integer(now - 1_000) }, "422 revoked"
                ),
            ]
            for (number, sent) in texts.enumerated() {
                #expect(try await gate.signIn(sent.text).verdict == sent.verdict, "\(sent.name)")
                #expect(try await gate.adopt(sent.text, as: "u\(number)").verdict == sent.verdict, "\(sent.name)")
            }
            for (body, status, code) in [
                ("{}", 400, "invalid_request"), (#"{"signedAppTransaction":7}"#, 400, "invalid_request"),
                (#"{"signedAppTransaction":null}"#, 400, "invalid_request"), ("[]", 400, "invalid_request"),
                (AppleGate.body(String(repeating: "a", count: 16 * 1024 + 1)), 413, "payload_too_large"),
            ] {
                for (path, token) in [(AppleGate.signIn, nil), (AppleGate.adopt, Fixture.token(of: "u2"))] {
                    let answer = try await gate.server.send("POST", path, body, token: token)
                    #expect(answer.status == status && answer.code == code, "\(path) \(answer.body)")
                }
            }
        }
    }

    @Test func `where it is off there is no sign-in, no adopting, and its tokens are none`() async throws {
        try await TestServer.run { server in
            let gate = AppleGate(server: server)
            let text = try gate.text()
            #expect(try await gate.signIn(text).verdict == "404 not_found")
            #expect(try await gate.adopt(text, as: "u1").verdict == "404 not_found")
            try await gate.expect(401, "unauthenticated", token: try await token(at: server))
        }
    }

    /// A token that the server signs, with its type, and its claims as `change` leaves them.
    private func token(
        at server: TestServer, typed type: String = "apple-account+jwt",
        _ change: (inout SimulatedPayload) -> Void = { _ in }
    ) async throws -> String {
        let now = server.clock.now.milliseconds
        var claims = SimulatedPayload([
            ("iss", .string("gatepass")), ("sub", .string("apple-1")), ("aud", .string("gatepass")),
            ("iat", .integer(now / 1_000)), ("text_made_at_ms", .integer(now)), ("exp", .integer(now / 1_000 + 60)),
        ])
        change(&claims)
        return try await server.api.signingKeys().signer.token(typed: type, Array(claims.json.utf8))
    }

    @Test func `a token counts for its own purpose alone, and only as this server signed it`() async throws {
        try await AppleGate.run { gate in
            let server = gate.server
            try await gate.expect(200, token: try await token(at: server))
            for type in ["entitlement+jwt", "JWT", "apple-account", "APPLE-ACCOUNT+JWT"] {
                try await gate.expect(401, "unauthenticated", token: try await token(at: server, typed: type))
            }
            for (name, value) in [
                ("iss", .string("other")), ("aud", .string("com.example.app")), ("aud", nil), ("exp", nil),
                ("exp", .integer(server.clock.now.milliseconds / 1_000 - 61)), ("text_made_at_ms", nil),
                ("text_made_at_ms", .string("1")), ("iat", .integer(server.clock.now.milliseconds / 1_000 + 61)),
            ] as [(String, SimulatedPayload.Value?)] {
                let changed = try await token(at: server) { $0[name] = value }
                try await gate.expect(401, "unauthenticated", token: changed)
            }
            let named = try await token(at: server) { $0["sub"] = .string("u1") }
            try await gate.expect(403, "user_id_not_allowed", token: named)
            let claims = #"{"iss":"gatepass","sub":"apple-1","aud":"gatepass","text_made_at_ms":1,"exp":9999999999}"#
            let kid = server.world.signingKeys.withLock { $0[0].key.kid }
            for header in [
                #"{"alg":"HS256","typ":"apple-account+jwt"}"#,
                #"{"alg":"ES256","kid":"\#(kid)","typ":"apple-account+jwt"}"#,
                #"{"alg":"none","kid":"\#(kid)","typ":"apple-account+jwt"}"#,
            ] {
                try await gate.expect(401, "unauthenticated", token: Fixture.token(claims, header: header))
            }
            try await gate.expect(403, "user_id_not_allowed", token: Fixture.token(of: "apple-1"))
            let offline = try await server.send("GET", "/api/iap/entitlement-token")
            try await gate.expect(401, "unauthenticated", token: try #require(offline.json["token"]?.string))
        }
    }

    @Test func `without a login Apple accounts alone sign in`() async throws {
        try await AppleGate.run(login: .noLogin) { gate in
            try await gate.expect(200, token: try await gate.signedIn(try gate.text()).token)
            for token in [
                Fixture.token(of: "u1"), Fixture.token(#"{"sub":"u1","exp":9999999999}"#, secret: []),
                Fixture.token(#"{"sub":"u1","exp":9999999999}"#, header: #"{"alg":"none"}"#),
            ] {
                try await gate.expect(401, "unauthenticated", token: token)
            }
        }
    }

    @Test func `a token lives its days, and the key that signed it is there as long`() async throws {
        try await AppleGate.run { gate in
            let (user, token) = try await gate.signedIn(try gate.text())
            gate.wait(seconds: 30 * 86_400)
            try await gate.expect(200, token: token)
            gate.wait(seconds: 61)
            try await gate.expect(401, "unauthenticated", token: token)
            #expect(try await gate.signedIn(try gate.text()).user == user)
        }
    }

    @Test func `a network signs in as often as its own rate says`() async throws {
        try await AppleGate.run(rateLimits: RateLimits(readPerMinute: 1, appleSignInPerMinute: 2)) { gate in
            let body = AppleGate.body(try gate.text())
            for (network, status) in [("a", 200), ("a", 200), ("a", 429), ("b", 200), ("a", 429)] {
                let answer = try await gate.server.send(
                    "POST", AppleGate.signIn, body, token: nil, fields: [("X-Forwarded-For", network)])
                #expect(answer.status == status, "\(answer.body)")
                #expect(answer.headers["ratelimit-policy"] == [#""apple_sign_in";q=2;w=60"#])
            }
        }
    }

    @Test func `a sign-out ends every token and text of before, whoever has them`() async throws {
        try await AppleGate.run(rules: ClaimRules(unclaimed: .proof)) { gate in
            let stolen = try gate.text()
            let (user, token) = try await gate.signedIn(stolen)
            let thief = try await gate.signedIn(stolen)
            #expect(thief.user == user, "one stolen text is the account")
            #expect(try await gate.attach(Fixture.pass("1"), proof: stolen, token: token).status == 200)
            gate.wait(seconds: 1)
            let dry = try await gate.server.send(
                "POST", "/api/admin/users/\(user)/sign-out?dry_run=1", #"{"reason":"lost"}"#,
                token: Fixture.apiKey(.write))
            #expect(try dry.status == 200 && dry.json["apple_accounts"]?.integer == "1")
            try await gate.expect(200, token: thief.token)

            let answer = try await gate.act("sign-out", on: user)
            let json = try answer.json
            #expect(answer.status == 200 && json["apple_accounts"]?.integer == "1", "\(answer.body)")
            #expect(json["user_id"]?.string == user && json["signed_out_at"]?.string == "2026-01-15T12:00:01Z")
            for token in [token, thief.token] { try await gate.expect(401, "unauthenticated", token: token) }
            #expect(try await gate.signIn(stolen).verdict == "422 stale")
            #expect(try await gate.adopt(stolen, as: "u1").verdict == "422 stale")
            let other = Fixture.token(of: "u2")
            #expect(try await gate.attach(Fixture.pass("2"), proof: stolen, token: other).code == "not_claimable")

            let fresh = try gate.text()
            let again = try await gate.signedIn(fresh)
            #expect(again.user == user)
            try await gate.expect(200, token: again.token)
            #expect(try await gate.attach(Fixture.pass("2"), proof: fresh, token: again.token).status == 200)
            let acts = try await gate.server.audited
            #expect(acts.map { $0["action"]?.string } == ["user.sign_out"] && acts[0]["reason"]?.string == "asked")
        }
    }

    @Test func `a sign-out ends the token of a sign-in beside it, and on a clock that is behind`() async throws {
        try await AppleGate.run { gate in
            let stolen = try gate.text()
            gate.wait(seconds: 60)
            let (user, token) = try await gate.signedIn(stolen)
            gate.wait(seconds: -30)
            #expect(try await gate.act("sign-out", on: user).status == 200)
            gate.wait(seconds: 30)
            try await gate.expect(401, "unauthenticated", token: token)
            let (_, fresh) = try await gate.signedIn(try gate.text())
            try await gate.expect(200, token: fresh)
            gate.wait(seconds: -20)
            #expect(try await gate.act("sign-out", on: user).status == 200)
            gate.wait(seconds: -15)
            #expect(try await gate.act("sign-out", on: user).status == 200)
            gate.wait(seconds: 5)
            let between = try gate.text()
            gate.wait(seconds: 60)
            #expect(try await gate.signIn(between).verdict == "422 stale", "a later sign-out on an earlier clock")
        }
    }

    @Test func `a proof of before a sign-out counts as none, so a newer one is asked for`() async throws {
        try await AppleGate.run(rules: ClaimRules(unclaimed: .proof)) { gate in
            let old = try gate.text()
            let (user, _) = try await gate.signedIn(old)
            gate.wait(seconds: 1)
            #expect(try await gate.act("sign-out", on: user).status == 200)
            let (_, token) = try await gate.signedIn(try gate.text())
            let refused = try await gate.attach(Fixture.pass("1"), proof: old, token: token)
            #expect(try refused.code == "not_claimable" && refused.json["retry"]?.string == "with_proof")
            let other = try await gate.attach(Fixture.pass("1"), proof: try gate.text(of: "7"), token: token)
            #expect(try other.code == "not_claimable" && other.json["retry"]?.string == "never")
            let text = try gate.server.authority.sign(Fixture.pass("1")).text
            let restored = try await gate.server.send(
                "POST", "/api/iap/apple/restore",
                #"{"signedTransactions":["\#(text)"],"signedAppTransaction":"\#(old)"}"#, token: token)
            #expect(try restored.json["results"]?.elements?[0]["retry"]?.string == "with_proof")
            #expect(try await gate.attach(Fixture.pass("1"), proof: try gate.text(), token: token).status == 200)
        }
    }

    @Test func `a token that was signed out is counted, so it cannot ask without end`() async throws {
        try await AppleGate.run(rateLimits: RateLimits(readPerMinute: 2)) { gate in
            let (user, token) = try await gate.signedIn(try gate.text())
            gate.wait(seconds: 1)
            #expect(try await gate.act("sign-out", on: user).status == 200)
            for _ in 0..<2 { try await gate.expect(401, "unauthenticated", token: token) }
            try await gate.expect(429, "rate_limited", token: token)
            let again = try await gate.signedIn(try gate.text())
            #expect(again.user == user)
            for _ in 0..<2 { try await gate.expect(200, token: again.token) }
            try await gate.expect(429, "rate_limited", token: again.token)
        }
    }

    @Test func `an account of which nothing is recorded is signed out, and a login's user has none to sign out`()
        async throws
    {
        try await AppleGate.run { gate in
            let (user, token) = try await gate.signedIn(try gate.text())
            gate.wait(seconds: 1)
            #expect(try await gate.act("sign-out", on: user).json["apple_accounts"]?.integer == "1")
            try await gate.expect(401, "unauthenticated", token: token)
            let before = try await gate.rows("users", "account_tokens", "audit_entries")
            #expect(try await gate.act("sign-out", on: "anna").json["apple_accounts"]?.integer == "0")
            #expect(try await gate.rows("users", "account_tokens", "audit_entries") == before)
        }
    }

    @Test func `an Apple account claims what it can prove, and what is too old to be proven as the setting says`()
        async throws
    {
        try await AppleGate.run { gate in
            let text = try gate.text()
            let (_, token) = try await gate.signedIn(text)
            let refused = try await gate.attach(Fixture.pass("1"), token: token)
            #expect(try refused.code == "not_claimable" && refused.json["retry"]?.string == "with_proof")
            let other = try gate.text(of: "7")
            #expect(try await gate.attach(Fixture.pass("1"), proof: other, token: token).code == "not_claimable")
            #expect(try await gate.attach(Fixture.pass("1"), proof: text, token: token).status == 200)

            var (old, own) = (Fixture.pass("2"), Fixture.pass("3"))
            old.appTransactionId = nil
            #expect(try await gate.attach(old, token: token).status == 200)
            let issued = try await gate.server.send("GET", "/api/iap/apple/account-token", token: token)
            own.appAccountToken = try issued.json["app_account_token"]?.string
            #expect(try await gate.attach(own, token: token).status == 200)
            #expect(try await gate.attach(Fixture.pass("4"), token: Fixture.token(of: "u1")).status == 200)
        }
    }

    @Test func `a job claims no receipt of an Apple account, and the receipt sent again with its proof does`()
        async throws
    {
        let apple = AppleShelf()
        try await TestServer.run(
            appleTokenDays: 30, asking: apple, receipts: try Receipts.sample(asking: nil), patience: .seconds(60)
        ) { server in
            let (gate, desk) = (AppleGate(server: server), ReceiptDesk())
            let shop = ReceiptRouteTests.Shop(server: server, apple: apple, desk: desk)
            apple.add(.init(texts: [try shop.text("1001")]))
            apple.fail(.unreachable("away"))
            let text = try gate.text()
            let (_, token) = try await gate.signedIn(text)
            let receipt = try SimulatedReceipt(["1001"]).text
            let body = #"{"receipt_data":"\#(receipt)","signedAppTransaction":"\#(text)"}"#
            let late = try await server.send("POST", ReceiptRouteTests.path, body, token: token)
            #expect(try late.json["history"]?.string == "pending", "\(late.body)")
            try await server.api.history?.lookUp(for: shop.person())
            let listed = try await server.send("GET", "/api/iap/purchases", token: token)
            #expect(try listed.json["data"]?.elements?.isEmpty == true)
            let again = try await server.send("POST", ReceiptRouteTests.path, body, token: token)
            #expect(try ReceiptRouteTests.outcomes(again.json) == ["1001 attached"])
        }
    }

    @Test func `who was erased signs in anew with a text of afterwards, and claims what they had`() async throws {
        try await AppleGate.run { gate in
            let text = try gate.text()
            let (user, token) = try await gate.signedIn(text)
            #expect(try await gate.attach(Fixture.pass("1"), proof: text, token: token).status == 200)
            gate.wait(seconds: 1)
            #expect(try await gate.act("erase", on: user).status == 204)
            try await gate.expect(401, "unauthenticated", token: token)
            #expect(try await gate.signIn(text).verdict == "422 stale")
            #expect(try await gate.adopt(text, as: "u1").verdict == "422 stale")
            let again = try await gate.signedIn(try gate.text())
            #expect(again.user == user)
            #expect(try await gate.isActive(user) == false)
            // An old text signs nobody in any more, and proves the account all the same.
            #expect(try await gate.attach(Fixture.pass("1"), proof: text, token: again.token).status == 200)
            #expect(try await gate.isActive(user) == true)
        }
    }
}
