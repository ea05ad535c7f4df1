import AppStore
import NIOHTTP1
import StoreSimulator
import StrictJSON
import Support
import Testing

extension EndToEnd {
    /// A user's purchases from the first attach to the reversal of a refund.
    @Suite struct Attaching {
        @Test func `a first attach, its repeats, and another user`() async throws {
            let server = try await EndToEndServer.shared
            let pass = EndToEndServer.pass(at: now - day)
            let jws = try server.sign(pass)
            let first = try await server.attach(jws, as: "anna")
            #expect(first.status == 200)
            #expect(first.string("outcome") == "attached")
            #expect(first["reason"]?.isNull == true)
            #expect(first.string("transaction.transaction_id") == pass.transactionId)
            #expect(first.string("transaction.environment") == "Sandbox")
            #expect(first.string("status.tier") == "pro")
            #expect(first.integer("status.expires_at_ms") == pass.purchaseDate + 30 * day)
            let counts = try await server.schema.counts()
            let again = try await server.attach(jws, as: "anna")
            #expect(again.string("outcome") == "already_attached")
            #expect(again.integer("status.expires_at_ms") == first.integer("status.expires_at_ms"))
            let other = try await server.attach(jws, as: "ben")
            #expect(other.status == 409)
            #expect(other.string("code") == "owned_by_another_user")
            #expect(!other.text.contains("anna"))
            #expect(other.headers.first(name: "Content-Type") == "application/problem+json")
            let after = try await server.schema.counts()
            #expect(after["purchases"] == counts["purchases"])
            #expect(after["apple_iap_transactions"] == counts["apple_iap_transactions"])
            #expect(after["ledger_entries"] == counts["ledger_entries"])
            #expect(try await server.status(of: "ben")["active"] != nil)
            #expect(try await server.status(of: "ben").string("state") == "none")
        }

        @Test func `three passes make ninety days, a refund in the middle takes thirty, its reversal gives them back`()
            async throws
        {
            let server = try await EndToEndServer.shared
            let (user, start) = ("stacker", now - 20 * day)
            let passes = (0..<3).map { EndToEndServer.pass(at: start + Int64($0) * 5 * day) }
            for pass in passes { #expect(try await server.attach(server.sign(pass), as: user).status == 200) }
            let full = try await server.status(of: user)
            #expect(full.integer("expires_at_ms") == start + 90 * day)
            #expect(full.count("segments") == 3)
            #expect(full.string("entitlements.0.state") == "running")
            #expect(full.string("entitlements.1.state") == "queued")
            let knownBefore = now
            try await Task.sleep(for: .milliseconds(20))

            let refund = passes[1].refunded(at: now - 2_000)
            let refunded = try await server.attach(server.sign(refund), as: user)
            #expect(refunded.string("outcome") == "revoked")
            #expect(refunded.integer("status.expires_at_ms") == start + 60 * day)
            let stale = try await server.attach(server.sign(passes[1]), as: user)
            #expect(stale.string("outcome") == "revoked")
            let knownBetween = now
            try await Task.sleep(for: .milliseconds(20))

            let reversed = try await server.attach(server.sign(passes[1].reversed(at: now + 1_000)), as: user)
            #expect(reversed.string("outcome") == "already_attached")
            #expect(reversed.integer("status.expires_at_ms") == start + 90 * day)

            for (known, days) in [(knownBefore, 90), (knownBetween, 60), (now + 1_000, 90)] {
                let query = "?known_at=\(rfc3339(known))"
                let answer = try await server.status(of: user, query)
                #expect(answer.status == 200)
                #expect(answer.integer("expires_at_ms") == start + Int64(days) * day, "known at \(known)")
            }
            let early = try await server.status(of: user, "?known_at=\(rfc3339(start))")
            #expect(early.string("state") == "none")
        }

        @Test func `explain names every purchase and why it gives nothing`() async throws {
            let server = try await EndToEndServer.shared
            let user = "curious"
            let ended = EndToEndServer.pass(at: now - 200 * day)
            let unknown = EndToEndServer.pass(of: "com.airport.vpn.nobody.knows", at: now - day)
            let running = EndToEndServer.pass(at: now - day)
            let queued = EndToEndServer.pass(at: now - 3_600_000)
            let refunded = EndToEndServer.pass(at: now - 2 * day).refunded(at: now - day)
            for pass in [ended, unknown, running, queued, refunded] {
                #expect(try await server.attach(server.sign(pass), as: user).status == 200)
            }
            let plain = try await server.status(of: user)
            #expect(plain.count("explanation") == 0)
            let answer = try await server.status(of: user, "?explain=1&history=1")
            let explanations = answer["explanation"]?.elements ?? []
            let reasons = Dictionary(
                explanations.map { ($0["external_id"]?.string ?? "", $0["reason"]?.string ?? "gives") },
                uniquingKeysWith: { first, _ in first })
            #expect(
                reasons == [
                    ended.transactionId: "ended_before_attached", unknown.transactionId: "unknown_product",
                    running.transactionId: "gives", queued.transactionId: "queued_behind",
                    refunded.transactionId: "revoked",
                ])
        }

        @Test func `a status is not sent again while its substance stays`() async throws {
            let server = try await EndToEndServer.shared
            try await server.attach(server.sign(EndToEndServer.pass(at: now - day)), as: "cacher")
            let first = try await server.status(of: "cacher")
            let tag = try #require(first.headers.first(name: "ETag"))
            let same = try await server.send(
                "GET", EndToEndServer.statusPath, as: "cacher", fields: [("If-None-Match", tag)])
            #expect(same.status == 304)
            #expect(same.body.isEmpty)
            try await server.attach(server.sign(EndToEndServer.pass(at: now - day)), as: "cacher")
            let changed = try await server.send(
                "GET", EndToEndServer.statusPath, as: "cacher", fields: [("If-None-Match", tag)])
            #expect(changed.status == 200)
            #expect(changed.headers.first(name: "ETag") != tag)
            let foreign = try await server.send(
                "GET", EndToEndServer.statusPath, as: "stranger", fields: [("If-None-Match", tag)])
            #expect(foreign.status == 200)
        }

        @Test func `a purchase that names another known user is refused, whoever posts it first`() async throws {
            let server = try await EndToEndServer.shared
            let issued = try await server.send("GET", "/api/iap/apple/account-token", as: "bea")
            let token = try #require(issued.string("app_account_token"))
            #expect(
                try await server.send("GET", "/api/iap/apple/account-token", as: "bea").string("app_account_token")
                    == token)
            var pass = EndToEndServer.pass(at: now - day)
            pass.appAccountToken = token.uppercased()
            let thief = try await server.attach(server.sign(pass), as: "thief")
            #expect(thief.status == 409)
            #expect(thief.string("code") == "account_token_mismatch")
            var bare = pass
            bare.appAccountToken = nil
            let escaped = try await server.attach(server.sign(bare.signed(at: pass.signedDate - 1)), as: "thief")
            #expect(escaped.string("code") == "account_token_mismatch")
            #expect(try await server.attach(server.sign(pass), as: "bea").string("outcome") == "attached")
            let late = try await server.attach(server.sign(pass), as: "thief")
            #expect(late.string("code") == "owned_by_another_user")
        }

        @Test func `a token made of a number is its user's where the settings say so, whoever was seen first`()
            async throws
        {
            let server = try await EndToEndServer.start(["GATEPASS_ACCOUNT_TOKENS_LEGACY_HEX_USER_ID": "true"])
            var pass = EndToEndServer.pass(at: now - day)
            pass.appAccountToken = "0000002A-0000-0000-0000-000000000000"
            let jws = try server.sign(pass)
            for _ in 1...2 {
                let refused = try await server.attach(jws, as: "7")
                #expect(refused.status == 409 && refused.string("code") == "account_token_mismatch", "\(refused.text)")
            }
            #expect(try await server.schema.number("SELECT COUNT(*) FROM users") == 0, "nobody is made by a veto")
            #expect(try await server.attach(jws, as: "42").string("outcome") == "attached")
            let erased = try await server.command(["user", "erase", "42", "--reason", "asked"])
            #expect(erased.status == 0, "\(erased.text)")
            var later = EndToEndServer.pass(at: now)
            later.appAccountToken = pass.appAccountToken
            let text = try server.sign(later)
            #expect(try await server.attach(text, as: "7").string("code") == "account_token_mismatch")
            #expect(try await server.attach(text, as: "42").string("outcome") == "attached", "the number is theirs now")
            #expect(try await server.end() == 0)
        }

        @Test func `without that setting such a token names nobody`() async throws {
            let server = try await EndToEndServer.shared
            var pass = EndToEndServer.pass(at: now - day)
            pass.appAccountToken = "0000002a-0000-0000-0000-000000000000"
            try await server.attach(server.sign(EndToEndServer.pass(at: now - day)), as: "42")
            #expect(try await server.attach(server.sign(pass), as: "7").string("outcome") == "attached")
        }

        @Test func `the billing screen's short answer, and nobody else's`() async throws {
            let server = try await EndToEndServer.shared
            let path = "/api/billing/subscriptions/check/"
            let expires = now + 200 * day
            let plan = SimulatedTransaction.subscription(
                newID(), of: "com.airport.vpn.annual3", group: "1", bundleId: EndToEndServer.bundleID,
                at: now - 165 * day, until: expires)
            let attached = try await server.attach(server.sign(plan), as: "subscriber")
            #expect(attached.string("outcome") == "attached")
            let own = try await server.send("GET", path + "subscriber", as: "subscriber")
            #expect(own.status == 200)
            #expect(own.string("status") == "ACTIVE")
            #expect(own.string("provider") == "apple")
            #expect(own.string("plan_id") == "annual_3")
            #expect(own.integer("devices") == 3)
            let names = ["is_subscribed", "has_active_subscription", "expires_at"]
            for name in names { #expect(own[name]?.isNull == false, "\(name)") }
            #expect(try await server.send("GET", path + "subscriber").status == 401)
            let ids = [
                "subscriber", "nobody", "0", "-1", "9223372036854775808", "subscriber%00", "+subscriber",
                "Subscriber", "subscribe", "%73ubscriber%20", "..", "%2e%2e", "\u{0661}", "subscriber%2F",
            ]
            var bodies: Set<String> = []
            for id in ids {
                let escaped = id.utf8.reduce("") {
                    $0 + ($1 < 0x80 ? String(UnicodeScalar($1)) : "%" + String($1, radix: 16))
                }
                let answer = try await server.send(
                    "GET", path + escaped, as: "spy", fields: [("X-Request-Id", "same")])
                #expect(answer.status == 404, "\(id)")
                bodies.insert(answer.text)
            }
            // Nothing tells a user who exists from one who does not.
            #expect(bodies.count == 1)
        }
    }
}
