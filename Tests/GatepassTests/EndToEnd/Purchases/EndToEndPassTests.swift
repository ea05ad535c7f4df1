import AppStore
import Entitlements
import StoreSimulator
import Support
import Testing

extension EndToEnd {
    /// Passes, seats and owners over HTTP, by the examples of `semantics.md` §2, §5, §8 and §9.
    @Suite struct Passes {
        /// The pieces of a user's lanes: purchase, start and end.
        private static func segments(_ user: String, _ server: EndToEndServer) async throws -> [String: [[Int64]]] {
            let answer = try await server.status(of: user, "?history=1")
            var pieces: [String: [[Int64]]] = [:]
            for place in 0..<(answer.count("segments") ?? 0) {
                let piece = "segments.\(place)."
                let id = try #require(answer.string(piece + "external_id"))
                let (start, end) = (answer.integer(piece + "starts_at_ms"), answer.integer(piece + "ends_at_ms"))
                pieces[id, default: []].append([try #require(start), try #require(end)])
            }
            return pieces
        }

        @Test func `what is refunded in part says how much, goes on, and tells it in plain words`() async throws {
            let backend = try await EndToEndBackend.shared
            let user = "part" + newID()
            let pass = EndToEndBackend.sale("pass.30", at: now - day)
            try await backend.attach(pass, to: user)
            try await backend.attach(pass.refunded(at: now - 1_000, percentage: 33_333), to: user)
            let bought = try await backend.server.send("GET", "/api/iap/purchases", as: user)
            #expect(bought.integer("data.0.revoked_share") == 33_333 && bought.string("data.0.state") == "running")
            let listed = { try await backend.server.send("GET", "/api/iap/purchases", as: user) }
            let body = #"{"external_id":"\#(pass.transactionId)","reason":"a chargeback"}"#
            let told = try await backend.look("timeline?limit=1", of: user)
            #expect(told.text.contains("33.333 % of its price."), "\(told.text)")
            let status = try await backend.server.status(of: user, "?explain=1")
            #expect(status.integer("explanation.0.facts.2.revoked_share") == 33_333, "\(status.text)")
            let revoked = try await backend.act("revoke", body, for: user)
            let after = try await listed()
            #expect(after.integer("data.0.revoked_share") == 100_000 && after.string("data.0.state") == "revoked")
            #expect(after.integer("data.0.revoked_at_ms") == revoked.integer("revoked_at_ms"), "\(after.text)")
        }

        @Test func `a grant that was taken back gives no more, whatever becomes of the pass before it`() async throws {
            let backend = try await EndToEndBackend.shared
            let user = "v3j" + newID()
            let grant = try await backend.grant(#""kind":"add_days","tier":"pro","days":30"#, to: user)
            let id = try #require(grant.string("id"))
            let grantedAt = try #require(grant.integer("granted_at_ms"))
            let pass = EndToEndBackend.sale("pass.30", at: now - day)
            #expect(try await backend.attach(pass, to: user).status == 200)
            let refundedAt = now
            let refunded = pass.refunded(at: refundedAt).signed(at: refundedAt)
            #expect(try await backend.attach(refunded, to: user).string("outcome") == "revoked")
            try await Task.sleep(for: .milliseconds(20))
            let revoked = try await backend.act("grants/\(id)/revoke", for: user)
            let revokedAt = try #require(revoked.integer("revoked_at_ms"))
            #expect(try await backend.server.status(of: user).string("state") == "expired")
            #expect(try await backend.act("grants/\(id)/revoke", for: user).integer("revoked_at_ms") == revokedAt)
            let first = [pass.purchaseDate, refundedAt]
            #expect(
                try await Self.segments(user, backend.server)
                    == [pass.transactionId: [first], id: [[max(grantedAt, refundedAt), revokedAt]]])
            let back = max(now, revokedAt + 1)
            #expect(try await backend.attach(pass.reversed(at: back), to: user).status == 200)
            let rest = [back, back + 30 * day - (refundedAt - pass.purchaseDate)]
            #expect(
                try await Self.segments(user, backend.server)
                    == [pass.transactionId: [first, rest], id: [[max(grantedAt, refundedAt), revokedAt]]])
            #expect(try await backend.act("grants/none/revoke", for: user).string("code") == "unknown_grant")
        }

        @Test(arguments: [("basic.30", "pro", false), ("ebb.30", "flood", true)])
        func `V7: a window lies over a pass, which runs on unless its lane pauses`(
            product: String, tier: String, pauses: Bool
        ) async throws {
            let backend = try await EndToEndBackend.shared
            let user = "v7" + newID()
            let boughtAt = now - 10 * day
            let pass = EndToEndBackend.sale(product, at: boughtAt)
            #expect(try await backend.attach(pass, to: user).status == 200)
            let until = (now / 1_000) * 1_000 + 10 * day
            let gift = #""kind":"until","tier":"\#(tier)","until":"\#(rfc3339(until))""#
            let from = try #require(try await backend.grant(gift, to: user).integer("granted_at_ms"))
            let segments = try await Self.segments(user, backend.server)[pass.transactionId]
            let paused = [[boughtAt, from], [until, until + 30 * day - (from - boughtAt)]]
            #expect(segments == (pauses ? paused : [[boughtAt, boughtAt + 30 * day]]))
            let status = try await backend.server.status(of: user)
            #expect(status.string("tier") == tier && status.integer("expires_at_ms") == until)
            #expect(status.integer("access_expires_at_ms") == segments?.last?.last)
        }

        @Test func `the example of a transfer: the rest goes, and the giver's past stays`() async throws {
            let backend = try await EndToEndBackend.shared
            let both = "both" + newID()
            let (giver, receiver) = (both + "-giver", both + "-receiver")
            let start = now - 24 * day
            let passes = [0, 9, 4].map { EndToEndBackend.sale("pass.30", at: start + $0 * day) }
            for (pass, user) in zip(passes, [giver, giver, receiver]) {
                #expect(try await backend.attach(pass, to: user).status == 200)
            }
            let ids = passes.map(\.transactionId)
            let body = #"{"external_id":"\#(ids[0])","to_user_id":"\#(receiver)","reason":"asked"}"#
            let answer = try await backend.act("transfer", body, for: giver)
            #expect(answer.status == 200 && answer.string("transferred.0.external_id") == ids[0])
            let given = try await Self.segments(giver, backend.server)
            let at = try #require(given[ids[0]]?.first?.last)
            #expect(given == [ids[0]: [[start, at]], ids[1]: [[at, at + 30 * day]]])
            let queued = start + 34 * day
            #expect(
                try await Self.segments(receiver, backend.server) == [
                    ids[2]: [[start + 4 * day, queued]], ids[0]: [[queued, queued + 30 * day - (at - start)]],
                ])
            #expect(try await backend.act("transfer", body, for: giver).string("code") == "unknown_purchase")
            let (theirs, ours) = (
                try await backend.look("timeline", of: receiver), try await backend.look("timeline", of: giver)
            )
            #expect(theirs.text.contains(#""reason":"asked""#) && ours.text.contains(#""reason":"asked""#))
            #expect(try await EndToEndRecount(backend.server.schema).faults(like: both) == [])
        }

        @Test func `a pass moves by policy with the proof of the Apple account, and only with it`() async throws {
            let backend = try await EndToEndBackend.shared
            let (first, second) = ("first" + newID(), "second" + newID())
            let pass = EndToEndBackend.sale("pass.30", at: now - day)
            let text = try backend.server.sign(pass)
            #expect(try await backend.server.attach(text, as: first).string("outcome") == "attached")
            #expect(try await backend.server.attach(text, as: second).string("code") == "owned_by_another_user")
            var account = SimulatedAppTransaction(bundleId: EndToEndServer.bundleID, at: now - day)
            account.environment = .production
            account.appAppleId = 1_234_567_890
            let (own, other) = (account, "704897469903383920")
            account.appTransactionId = other
            var tried = own
            tried.environment = .sandbox
            let (refusal, none) = ("owned_by_another_user", String?.none)
            for (proof, code) in [(account, refusal), (tried, refusal), (own, none), (own, none)] {
                let signed = try backend.server.authority.sign(proof).text
                let body = #"{"signedTransactionJWS":"\#(text)","signedAppTransaction":"\#(signed)"}"#
                let answer = try await backend.server.send(
                    "POST", EndToEndServer.attachPath, Array(body.utf8), as: second)
                #expect(answer.string("code") == code && answer.status == (code == nil ? 200 : 409))
            }
            let signed = try backend.server.authority.sign(own).text
            let body = #"{"signedTransactionJWS":"\#(text)","signedAppTransaction":"\#(signed)"}"#
            let back = try await backend.server.send("POST", EndToEndServer.attachPath, Array(body.utf8), as: first)
            #expect(back.string("code") == "owned_by_another_user", "the cool-down")
            #expect(try await backend.server.status(of: second).string("tier") == "pro")
            #expect(try await backend.server.status(of: first).string("tier") == "free")
        }

        @Test func `a guest's account goes into another one whole, and once`() async throws {
            let backend = try await EndToEndBackend.shared
            let (guest, user) = ("guest" + newID(), "member" + newID())
            try await backend.attach(EndToEndBackend.sale("pass.30", at: now - day), to: guest)
            try await backend.attach(EndToEndBackend.sale("credits.100", at: now - day), to: guest)
            try await backend.grant(#""kind":"credits","unit":"credit","amount":20"#, to: guest)
            try await backend.spend(30, for: guest)
            let body = #"{"from_user_id":"\#(guest)","reason":"signed in"}"#
            let merged = try await backend.act("merge", body, for: user, key: "merge")
            #expect(merged.status == 200 && merged.count("transferred") == 3)
            #expect(try await backend.act("merge", body, for: user, key: "merge").body == merged.body)
            #expect(try await backend.act("merge", body, for: user).count("transferred") == 0)
            #expect(try await backend.server.status(of: user).string("tier") == "pro")
            #expect(try await backend.look("credits", of: user).integer("data.0.spendable") == 90)
            #expect(try await backend.look("credits", of: guest).integer("data.0.spendable") == 0)
            #expect(try await backend.act("merge", body, for: guest).string("code") == "same_user")
            let nobody = #"{"from_user_id":"nobody-\#(newID())","reason":"x"}"#
            #expect(try await backend.act("merge", nobody, for: user).string("code") == "unknown_guest")
        }

        @Test func `sandbox purchases count while the user is on the list`() async throws {
            let backend = try await EndToEndBackend.shared
            let user = "tester" + newID()
            var pass = EndToEndBackend.sale("pass.30", at: now - day)
            pass.environment = .sandbox
            let attached = try await backend.attach(pass, to: user)
            #expect(attached.string("outcome") == "recorded" && attached.string("reason") == "sandbox_not_allowed")
            for (method, tier) in [("PUT", "pro"), ("PUT", "pro"), ("DELETE", "free"), ("PUT", "pro")] {
                #expect(try await backend.act("sandbox-tester", "{}", for: user, method: method).status == 200)
                #expect(try await backend.server.status(of: user).string("tier") == tier)
            }
            #expect(try await backend.attach(pass, to: user).string("outcome") == "already_attached")
        }

        @Test func `D1: the pinned device keeps the only seat`() async throws {
            let backend = try await EndToEndBackend.shared
            let user = "seats" + newID()
            let pass = EndToEndBackend.sale("pair.30", at: now - day)
            try await backend.attach(pass, to: user)
            for (device, isPinned) in [("P", true), ("Q", false)] {
                let made = try await backend.act(
                    "devices", #"{"device_id":"\#(device)","pinned":\#(isPinned)}"#, for: user)
                #expect(made.status == 201)
            }
            let full = try await backend.act("devices", #"{"device_id":"R"}"#, for: user)
            #expect(full.string("code") == "seat_limit_reached")
            #expect(full.integer("allowed") == 2 && full.integer("active") == 2)
            try await Task.sleep(for: .milliseconds(5))
            #expect(try await backend.act("devices/Q/seen", "{}", for: user).status == 200)
            let path = "devices/license/status"
            #expect(try await backend.look(path, of: user).text == #"{"allowed":2,"active":2,"suspended":0}"#)
            try await backend.attach(pass.refunded(at: now), to: user)
            #expect(try await backend.look(path, of: user).text == #"{"allowed":0,"active":0,"suspended":2}"#)
            try await backend.attach(EndToEndBackend.sale("basic.30", at: now - 1_000), to: user)
            #expect(try await backend.look(path, of: user).text == #"{"allowed":1,"active":1,"suspended":1}"#)
            let refused = try await backend.act("devices/Q/reactivate", "{}", for: user)
            #expect(refused.string("code") == "seat_limit_reached")
            let devices = try await backend.look("devices", of: user).text
            #expect(devices.contains(#""device_id":"P""#) && devices.contains(#""device_id":"Q""#))
        }
    }
}
