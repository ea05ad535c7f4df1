import AppStore
import Entitlements
import StoreSimulator
import Support
import Testing

extension EndToEnd {
    /// What an operator makes a user's because nobody else can.
    @Suite struct Bindings {
        private static func body(_ pass: SimulatedTransaction) -> String {
            #"{"external_id":"\#(pass.transactionId)","reason":"showed the receipt"}"#
        }

        @Test func `a purchase that another's token kept unowned is bound by an operator, once`() async throws {
            let backend = try await EndToEndBackend.shared
            let both = "bound" + newID()
            let (named, buyer) = (both + "-named", both + "-buyer")
            let issued = try await backend.server.send("GET", "/api/iap/apple/account-token", as: named)
            var pass = EndToEndBackend.sale("pass.30", at: now - day)
            pass.appAccountToken = issued.string("app_account_token")
            let refused = try await backend.attach(pass, to: buyer)
            #expect(refused.string("code") == "account_token_mismatch")
            let bound = try await backend.act("bind", Self.body(pass), for: buyer)
            #expect(bound.status == 200 && bound.string("user_id") == buyer, "\(bound.text)")
            #expect(bound.string("source") == "apple_iap" && bound.string("external_id") == pass.transactionId)
            #expect(try await backend.act("bind", Self.body(pass), for: buyer).body == bound.body)
            #expect(try await backend.server.status(of: buyer).string("tier") == "pro")
            let trail = try await backend.ask("audit?limit=1")
            #expect(trail.string("data.0.action") == "purchase.bind" && trail.string("data.0.user_id") == buyer)
            #expect(trail.string("data.0.reason") == "showed the receipt")
            let told = try await backend.look("timeline", of: buyer)
            #expect(told.string("data.0.kind") == "bound" && told.string("data.0.reason") == "showed the receipt")
            #expect(told.string("data.0.actor") == trail.string("data.0.actor"))
            let recorded = try await backend.ask("transactions?limit=100")
            #expect(recorded.string("data.0.transaction_id") == pass.transactionId)
            #expect(recorded.string("data.0.apple_account")?.count == 22, "\(recorded.text)")
            #expect(!recorded.text.contains(try #require(pass.appTransactionId)))
            #expect(try await EndToEndRecount(backend.server.schema).faults(like: both) == [])
        }

        @Test func `the rest of what an erased person had is bound to nobody, and the same Apple account claims it`()
            async throws
        {
            let backend = try await EndToEndBackend.shared
            let both = "rebound" + newID()
            let (gone, back) = (both + "-gone", both + "-back")
            let pass = EndToEndBackend.sale("pass.30", at: now - 10 * day)
            try await backend.attach(pass, to: gone)
            #expect(try await backend.act("erase", for: gone).status == 204)
            #expect(try await backend.attach(pass, to: back).string("code") == "owned_by_another_user")
            let refused = try await backend.act("bind", Self.body(pass), for: back)
            #expect(refused.status == 409 && refused.string("code") == "not_claimable", "\(refused.text)")
            let told = try await backend.server.command(
                ["user", "bind", back, "--purchase", pass.transactionId, "--reason", "showed the receipt"])
            let sentence = "not_claimable: Its owner was erased: only the same Apple account can claim it.\n"
            #expect(told.status == 1 && told.text == "gatepass: " + sentence)
            #expect(told.target == backend.server.target)
            #expect(try await backend.server.status(of: back).string("tier") == "free")

            var account = SimulatedAppTransaction(bundleId: EndToEndServer.bundleID, at: now - day)
            account.environment = .production
            account.appAppleId = 1_234_567_890
            account.appTransactionId = pass.appTransactionId
            let proof = try backend.server.authority.sign(account).text
            let body =
                #"{"signedTransactionJWS":"\#(try backend.server.sign(pass))","signedAppTransaction":"\#(proof)"}"#
            let claimed = try await backend.server.send(
                "POST", EndToEndServer.attachPath, Array(body.utf8), as: back)
            #expect(claimed.string("outcome") == "attached", "\(claimed.text)")
            let status = try await backend.server.status(of: back)
            #expect(status.string("tier") == "pro")
            let left = (status.integer("expires_at_ms") ?? 0) - now
            #expect(left > 19 * day && left <= 20 * day, "\(status.text)")
            #expect(try await backend.attach(pass, to: back).string("outcome") == "already_attached")
            #expect(try await backend.server.command(["audit", "verify"]).status == 0)
        }

        @Test func `what an erased person owes is owed by nobody`() async throws {
            let backend = try await EndToEndBackend.shared
            let both = "owed" + newID()
            let (gone, back) = (both + "-gone", both + "-back")
            let sale = { (product: String) in
                var sale = EndToEndBackend.sale(product, at: now - day)
                sale.appTransactionId = both
                return sale
            }
            let lot = sale("credits.100")
            try await backend.attach(lot, to: gone)
            try await backend.spend(70, for: gone)
            try await backend.attach(lot.refunded(at: now), to: gone)
            #expect(try await backend.look("credits", of: gone).integer("data.0.debt") == 70)
            #expect(try await backend.act("erase", for: gone).status == 204)
            #expect(try await backend.attach(sale("pass.30"), to: back).string("outcome") == "attached")
            #expect(try await backend.look("credits", of: back).count("data") == 0)
            try await backend.attach(sale("credits.100"), to: back)
            let purse = try await backend.look("credits", of: back)
            #expect(purse.integer("data.0.debt") == 0 && purse.integer("data.0.spendable") == 100, "\(purse.text)")
            #expect(try await backend.spend(100, for: back).status == 200)
            #expect(try await backend.server.command(["audit", "verify"]).status == 0)
        }

        @Test func `what somebody has, and what nobody ever saw, is not bound`() async throws {
            let backend = try await EndToEndBackend.shared
            let both = "unbound" + newID()
            let pass = EndToEndBackend.sale("pass.30", at: now - day)
            try await backend.attach(pass, to: both + "-owner")
            let refused = try await backend.act("bind", Self.body(pass), for: both + "-other")
            #expect(refused.status == 409 && refused.string("code") == "owned_by_another_user", "\(refused.text)")
            let unknown = try await backend.act(
                "bind", Self.body(EndToEndBackend.sale("pass.30", at: now)), for: both + "-other")
            #expect(unknown.status == 404 && unknown.string("code") == "unknown_purchase", "\(unknown.text)")
            let reader = try await backend.with(scopes: "read")
            #expect(try await reader.act("bind", Self.body(pass), for: both + "-owner").status == 403)
            #expect(try await backend.server.status(of: both + "-owner").string("tier") == "pro")
        }
    }
}
