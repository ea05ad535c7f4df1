import AppStore
import Entitlements
import StoreSimulator
import Support
import Testing

extension EndToEnd {
    /// What an operator takes back of what a store sold.
    @Suite struct Revocations {
        @Test func `V3j: a refund, an operator's revocation, and a reversal that brings nothing back`() async throws {
            let backend = try await EndToEndBackend.shared
            let boughtAt = now - 20 * day
            let refundedAt = boughtAt + 9 * day
            let reversal = { (pass: SimulatedTransaction, instant: Int64) in
                try await backend.attach(pass.reversed(at: instant), to: "v3j-" + pass.transactionId)
            }
            let passes = (1...2).map { _ in EndToEndBackend.sale("pass.30", at: boughtAt) }
            for pass in passes {
                let user = "v3j-" + pass.transactionId
                try await backend.attach(pass, to: user)
                let refunded = try await backend.attach(
                    pass.refunded(at: refundedAt).signed(at: refundedAt + 1), to: user)
                #expect(refunded.string("outcome") == "revoked")
            }
            let id = passes[0].transactionId
            let body = #"{"external_id":"\#(id)","reason":"a chargeback"}"#
            let revoked = try await backend.act("revoke", body, for: "v3j-" + id, key: "revoke-" + id)
            #expect(revoked.status == 200 && revoked.string("external_id") == id, "\(revoked.text)")
            #expect(revoked.string("source") == "apple_iap" && revoked.string("environment") == "Production")
            let revokedAt = try #require(revoked.integer("revoked_at_ms"))
            for key in ["revoke-" + id, "again-" + id] {
                let again = try await backend.act("revoke", body, for: "v3j-" + id, key: key)
                #expect(again.status == 200 && again.body == revoked.body)
            }
            let reversedAt = max(now, revokedAt + 1)
            for (pass, ends) in [(passes[0], [refundedAt]), (passes[1], [refundedAt, reversedAt + 21 * day])] {
                #expect(try await reversal(pass, reversedAt).status == 200)
                let status = try await backend.server.status(of: "v3j-" + pass.transactionId, "?history=1")
                let found = (0..<(status.count("segments") ?? 0)).map { status.integer("segments.\($0).ends_at_ms") }
                #expect(found == ends, "\(status.text)")
            }
        }

        @Test func `a revocation stands in the timelines of all who had it and in the audit trail, once`() async throws
        {
            let backend = try await EndToEndBackend.shared
            let both = "revoked" + newID()
            let (giver, receiver) = (both + "-giver", both + "-receiver")
            let pass = EndToEndBackend.sale("pass.30", at: now - day)
            try await backend.attach(pass, to: giver)
            let named = #""external_id":"\#(pass.transactionId)","reason":"a chargeback""#
            try await backend.act("transfer", #"{"to_user_id":"\#(receiver)",\#(named)}"#, for: giver)
            #expect(try await backend.act("revoke", "{\(named)}", for: giver).string("code") == "unknown_purchase")
            for _ in 1...2 { #expect(try await backend.act("revoke", "{\(named)}", for: receiver).status == 200) }
            #expect(try await backend.server.status(of: receiver).string("state") == "expired")
            let told = try await backend.look("timeline", of: receiver)
            #expect(told.string("data.0.kind") == "withdrawn" && told.string("data.0.reason") == "a chargeback")
            #expect(told.string("data.0.external_id") == pass.transactionId)
            #expect(told.string("data.0.actor")?.hasPrefix("api_key:") == true, "\(told.text)")
            #expect(try await backend.look("timeline", of: giver).string("data.0.kind") == "withdrawn")
            let trail = try await backend.ask("audit?limit=2")
            #expect(trail.string("data.0.action") == "purchase.revoke" && trail.string("data.0.user_id") == receiver)
            #expect(trail.string("data.0.actor") == told.string("data.0.actor"))
            #expect(trail.string("data.0.reason") == "a chargeback")
            #expect(trail.string("data.0.details.external_id") == pass.transactionId)
            #expect(trail.string("data.1.action") == "user.transfer")
            #expect(try await EndToEndRecount(backend.server.schema).faults(like: both) == [])
        }

        @Test func `a server that may not write takes nothing back`() async throws {
            let backend = try await EndToEndBackend.shared
            let user = "kept" + newID()
            let pass = EndToEndBackend.sale("pass.30", at: now - day)
            try await backend.attach(pass, to: user)
            let reader = try await backend.with(scopes: "read")
            let body = #"{"external_id":"\#(pass.transactionId)","reason":"a chargeback"}"#
            let refused = try await reader.act("revoke", body, for: user)
            #expect(refused.status == 403 && refused.string("code") == "forbidden")
            #expect(try await backend.server.status(of: user).string("state") == "active")
        }
    }
}
