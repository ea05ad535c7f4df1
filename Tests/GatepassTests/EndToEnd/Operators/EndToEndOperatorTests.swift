import AppStore
import Entitlements
import StoreSimulator
import StrictJSON
import Support
import Testing

extension EndToEnd {
    /// What operators read across users.
    @Suite struct Operators {
        @Test func `an Apple account whose purchases two users have is told until one of them has all`() async throws {
            let backend = try await EndToEndBackend.shared
            let (anna, ben, account) = ("anna" + newID(), "ben" + newID(), newID())
            let passes = (0..<3).map { _ in
                var pass = EndToEndBackend.sale("pass.30", at: now - day)
                pass.appTransactionId = account
                return pass
            }
            try await backend.attach(passes[0], to: anna)
            try await backend.attach(passes[1], to: anna)
            #expect(try await backend.ask("conflicts?limit=100").text.contains(anna) == false)
            #expect(try await backend.attach(passes[0], to: ben).string("code") == "owned_by_another_user")
            try await backend.attach(passes[2], to: ben)
            let told = try await backend.ask("conflicts?limit=1")
            let label = try #require(try await backend.ask("transactions?limit=1").string("data.0.apple_account"))
            #expect(label.count == 22 && !told.text.contains(account))
            #expect(
                told.text.hasPrefix(
                    #"{"data":[{"apple_account":"\#(label)","app":"com.airport.vpn","environment":"Production","#
                        + #""users":[{"user_id":"\#(anna)","purchases":2,"refused_claims":0},"#
                        + #"{"user_id":"\#(ben)","purchases":1,"refused_claims":0}]}],"#),
                "\(told.text)")
            try await backend.act("transfer", #"{"all":true,"to_user_id":"\#(ben)","reason":"one person"}"#, for: anna)
            #expect(try await backend.ask("conflicts?limit=100").text.contains(label) == false)
        }

        @Test func `the trail has the other user of a transfer by pseudonym, by which a search finds them`()
            async throws
        {
            let backend = try await EndToEndBackend.shared
            let (giver, receiver) = ("giver" + newID(), "receiver" + newID())
            try await backend.attach(EndToEndBackend.sale("pass.30", at: now - day), to: giver)
            try await backend.act("transfer", #"{"all":true,"to_user_id":"\#(receiver)","reason":"r"}"#, for: giver)
            let told = try await backend.ask("audit?limit=1")
            #expect(told.string("data.0.action") == "user.transfer" && told.string("data.0.user_id") == giver)
            let pseudonym = try #require(told.string("data.0.other_pseudonym"))
            #expect(told["data.0.details"]?.members?.contains { $0.name == "other_pseudonym" } == false, "\(told.text)")
            #expect(!told.text.contains(receiver))
            let found = try await backend.ask("search?q=%23" + pseudonym)
            #expect(found.string("data.0.user_id") == receiver && found.count("data") == 1)
            #expect(try await backend.act("erase", for: receiver).status == 204)
            let gone = try await backend.ask("search?q=%23" + pseudonym)
            #expect(gone.string("data.0.kind") == "user" && gone["data.0.user_id"]?.isNull == true)
            let kept = try await backend.ask("audit?limit=2")
            #expect(kept.string("data.1.other_pseudonym") == pseudonym && kept["data.1.details"]?.isNull == true)
        }

        @Test func `purchases that give nothing are told with the reason that their owner's status explains`()
            async throws
        {
            let backend = try await EndToEndBackend.shared
            let (anna, ben) = ("odd" + newID(), "odd" + newID())
            let token = try #require(
                try await backend.server.send("GET", "/api/iap/apple/account-token", as: anna).string(
                    "app_account_token"))
            let unknown = EndToEndBackend.sale("pass.31", at: now - day)
            var shared = EndToEndBackend.sale("pass.30", at: now - day)
            shared.inAppOwnershipType = .familyShared
            var foreign = EndToEndBackend.sale("pass.30", at: now - day)
            foreign.appAccountToken = token
            try await backend.attach(unknown, to: anna)
            try await backend.attach(EndToEndBackend.sale("pass.30", at: now - day), to: anna)
            try await backend.attach(EndToEndBackend.sale("credits.100", at: now - day), to: anna)
            try await backend.attach(shared, to: ben)
            #expect(try await backend.attach(foreign, to: ben).string("code") == "account_token_mismatch")

            let reader = try await backend.with(scopes: "read")
            let told = try await reader.ask("anomalies?limit=3")
            for (number, (purchase, user, reason)) in [
                (foreign, nil, "unowned"), (shared, ben, "family_shared"), (unknown, anna, "unknown_product"),
            ].enumerated() {
                let row = "data.\(number)."
                #expect(told.string(row + "external_id") == purchase.transactionId, "\(told.text)")
                #expect(told.string(row + "user_id") == user && told.string(row + "reason") == reason)
                let filtered = try await reader.ask("anomalies?limit=1&reason=\(reason)")
                #expect(filtered.string("data.0.external_id") == purchase.transactionId, "\(filtered.text)")
                guard let user else { continue }
                let status = try await reader.look("status?explain=1", of: user)
                #expect(status.text.contains(#""reason":"\#(reason)""#), "\(status.text)")
            }
            #expect(try await reader.ask("anomalies?reason=finished").status == 400)
            try await backend.attach(foreign, to: anna)
            try await backend.act("erase", for: ben)
            let left = try await reader.ask("anomalies?limit=1")
            #expect(left.string("data.0.external_id") == unknown.transactionId, "\(left.text)")
        }

        @Test func `a purchase whose text has an odd price gives what it should, and operators are told`()
            async throws
        {
            let backend = try await EndToEndBackend.shared
            let user = "odd" + newID()
            let pass = EndToEndBackend.sale("pass.30", at: now - day)
            var payload = pass.payload
            payload["price"] = .verbatim("4.99")
            payload["storefront"] = .verbatim("{}")
            let answer = try await backend.server.attach(try backend.server.authority.sign(payload), as: user)
            #expect(answer.string("outcome") == "attached" && answer.string("status.tier") == "pro", "\(answer.text)")
            let reader = try await backend.with(scopes: "read")
            let listed = try await reader.ask("transactions?limit=1")
            #expect(listed.text.contains(#""unreadable":["storefront","price"]}],"#), "\(listed.text)")
            let told = try await reader.ask("anomalies?reason=unreadable_fields&limit=1")
            #expect(told.string("data.0.external_id") == pass.transactionId && told.string("data.0.user_id") == user)
            let export = try await backend.look("export", of: user)
            #expect(export.string("transactions.0.unreadable") == "storefront,price")
        }

        @Test func `a sandbox pass counts while its user is on the list of testers, also when it is asked about later`()
            async throws
        {
            let backend = try await EndToEndBackend.shared
            let user = "tested" + newID()
            var pass = EndToEndBackend.sale("pass.30", at: now - day)
            pass.environment = .sandbox
            try await backend.attach(pass, to: user)
            func tier(at instant: Int64? = nil) async throws -> String? {
                let query = instant.map { "?at=" + rfc3339($0) } ?? ""
                return try await backend.server.status(of: user, query).string("tier")
            }
            let before = now
            #expect(try await [tier(), tier(at: before)] == ["free", "free"])
            try await Task.sleep(for: .milliseconds(20))
            try await backend.act("sandbox-tester", "{}", for: user, method: "PUT")
            let between = now
            #expect(try await [tier(), tier(at: before), tier(at: between)] == ["pro", "free", "pro"])
            try await Task.sleep(for: .milliseconds(20))
            try await backend.act("sandbox-tester", "{}", for: user, method: "DELETE")
            #expect(try await [tier(), tier(at: before), tier(at: between)] == ["free", "free", "pro"])
            let acts = try await backend.look("status?explain=1", of: user)
            #expect(acts.string("acts.1.reason") == "superseded" && acts.string("acts.0.reason") == nil)
        }

        @Test func `the list of sandbox testers has those who are on it now, and since when`() async throws {
            let backend = try await EndToEndBackend.shared
            let users = (1...3).map { _ in "listed" + newID() }
            let start = now
            for user in users { try await backend.act("sandbox-tester", "{}", for: user, method: "PUT") }
            try await backend.act("sandbox-tester", "{}", for: users[1], method: "DELETE")
            let first = try await backend.ask("sandbox-testers?limit=1")
            let cursor = try #require(first.string("next_cursor"))
            let second = try await backend.ask("sandbox-testers?limit=1&cursor=" + cursor)
            #expect([first, second].map { $0.string("data.0.user_id") } == [users[2], users[0]], "\(first.text)")
            for page in [first, second] {
                let namedAt = try #require(page.integer("data.0.named_at_ms"))
                #expect((start...now).contains(namedAt) && page.string("data.0.named_at") != nil)
            }
            let reader = try await backend.with(scopes: "read")
            #expect(try await reader.ask("sandbox-testers?limit=1").body == first.body)
        }

        @Test func `the timeline names the server that did something to a device, also to another instance`()
            async throws
        {
            let backend = try await EndToEndBackend.shared
            let user = "devices" + newID()
            try await backend.attach(EndToEndBackend.sale("pass.30", at: now - day), to: user)
            for (method, path) in [
                ("POST", ""), ("POST", "/d1/suspend"), ("POST", "/d1/reactivate"), ("DELETE", "/d1"),
            ] {
                let body = path.isEmpty ? #"{"device_id":"d1"}"# : "{}"
                let done = try await backend.act("devices" + path, body, for: user, method: method)
                #expect((200..<300).contains(done.status), "\(done.text)")
            }
            let beside = try await backend.beside()
            for instance in [backend, beside] {
                let told = try await instance.look("timeline", of: user)
                for number in 0..<4 {
                    #expect(told.string("data.\(number).kind") == "device")
                    #expect(told.string("data.\(number).actor")?.hasSuffix(" till") == true, "\(told.text)")
                }
                #expect(told["data.4.actor"]?.isNull == true)
            }
            try await beside.server.end()
        }
    }
}
