import AppStore
import Entitlements
import StoreSimulator
import Support
import Testing

extension EndToEnd {
    /// What operators read across users.
    @Suite struct Operators {
        @Test func `an Apple account whose purchases two users have is told until one of them has all`() async throws {
            let till = try await EndToEndTill.shared
            let (anna, ben, account) = ("anna" + newID(), "ben" + newID(), newID())
            let passes = (0..<3).map { _ in
                var pass = EndToEndTill.sale("pass.30", at: now - day)
                pass.appTransactionId = account
                return pass
            }
            try await till.attach(passes[0], to: anna)
            try await till.attach(passes[1], to: anna)
            #expect(try await till.ask("conflicts?limit=1").string("data.0.app_transaction_id") != account)
            #expect(try await till.attach(passes[0], to: ben).string("code") == "owned_by_another_user")
            try await till.attach(passes[2], to: ben)
            let told = try await till.ask("conflicts?limit=1")
            #expect(
                told.text.hasPrefix(
                    #"{"data":[{"app_transaction_id":"\#(account)","app":"com.airport.vpn","environment":"Production","#
                        + #""users":[{"user_id":"\#(anna)","purchases":2},{"user_id":"\#(ben)","purchases":1}]}],"#),
                "\(told.text)")
            try await till.act("transfer", #"{"all":true,"to_user_id":"\#(ben)","reason":"one person"}"#, for: anna)
            #expect(try await till.ask("conflicts?limit=1").string("data.0.app_transaction_id") != account)
        }
    }
}
