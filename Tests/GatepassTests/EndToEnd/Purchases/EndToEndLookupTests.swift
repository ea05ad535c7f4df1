import Foundation
import NIOHTTP1
import StoreSimulator
import Support
import Testing

extension EndToEnd {
    /// Orders, legacy receipts and notifications of version 1: Apple is asked, and its signed texts count.
    @Suite struct Lookups {
        @Test func `an order of the simulated store says whose it is, and search only says what it looks like`()
            async throws
        {
            let installation = try await DevelopmentInstallation.open()
            defer { installation.close() }
            #expect(try await installation.simulate(["purchase", "--user", "anna"]).status == 0)
            let held = try await installation.send(.GET, "/api/iap/purchases", as: "anna")
            let id = try #require(held.string("data.0.external_id"))
            let found = try await installation.run(["order", "M" + id, "--json"])
            #expect(found.status == 0 && found.string("order_id") == "M" + id, "\(found.text)")
            #expect(found.count("transactions") == 1 && found.string("transactions.0.user_id") == "anna")
            #expect(found.string("transactions.0.transaction_id") == id)
            let words = try await installation.run(["order", "m" + id])
            #expect(words.status == 0 && words.text.contains("of anna"), "\(words.text)")
            let unknown = try await installation.run(["order", "MQ7HX2K4TN"])
            #expect(unknown.status == 0 && unknown.text.contains("Apple knows no such order"), "\(unknown.text)")
            let search = try await installation.run(["search", "MQ7HX2K4TN"])
            #expect(search.text.contains("gatepass order MQ7HX2K4TN"), "\(search.text)")
            let trail = try await installation.run(["audit", "list", "--action", "order.look_up"])
            #expect(trail.text.components(separatedBy: "order.look_up").count == 4, "\(trail.text)")
            #expect(try await installation.run(["order", "2000"]).status != 0)
        }

        @Test func `a receipt of a purchase that no client sent is claimed from the simulated store's texts`()
            async throws
        {
            let installation = try await DevelopmentInstallation.open()
            defer { installation.close() }
            let lost = try await installation.simulate(["lose", "--user", "anna", "--json"])
            let id = try #require(lost.string("transaction_id"), "\(lost.text)")
            let printed = try await installation.simulate(["receipt", "--user", "anna"])
            let receipt = printed.text.trimmingCharacters(in: .whitespacesAndNewlines)
            let body = Data(#"{"receipt_data":"\#(receipt)"}"#.utf8)
            let shown = try await installation.send(.POST, "/api/iap/apple/receipts", body, as: "anna")
            #expect(shown.status == 200 && shown.string("results.0.outcome") == "attached", "\(shown.text)")
            #expect(shown.string("results.0.transaction_id") == id)
            let stolen = try await installation.send(.POST, "/api/iap/apple/receipts", body, as: "thief")
            #expect(stolen.string("results.0.code") == "owned_by_another_user", "\(stolen.text)")
            #expect(stolen.string("status.state") == "none")
        }

        @Test func `verifyReceipt is asked with the secret, and a notification of version 1 has its job done`()
            async throws
        {
            let apple = try EndToEndApple { line in
                line.contains("/verifyReceipt")
                    ? .init(
                        200,
                        #"{"status":0,"receipt":{"bundle_id":"com.airport.vpn","in_app":[{"transaction_id":"77"}]}}"#)
                    : .init(404, #"{"errorCode":4040010,"errorMessage":"Transaction id not found."}"#)
            }
            defer { apple.close() }
            let backend = try await EndToEndBackend.open(apple.settings)
            let receipt = SimulatedReceipt(ofApp: "com.airport.vpn").unsignedText
            let answer = try await backend.server.send(
                "POST", "/api/iap/apple/receipts", Array(#"{"receipt_data":"\#(receipt)"}"#.utf8), as: newID())
            #expect(answer.status == 200 && answer.string("history") == "complete", "\(answer.text)")
            let asked = apple.requests.filter { $0.line.contains("verifyReceipt") }
            #expect(asked.count == 1 && asked[0].line.hasPrefix("POST /verifyReceipt"))
            #expect(asked[0].body.contains(#""password":"shared""#))
            #expect(apple.requests.filter { $0.line.contains("/history/77?") }.count == 1, "in Production alone")
            let told = #"""
                {"password":"shared","notification_type":"REFUND","bid":"com.airport.vpn",
                 "unified_receipt":{"latest_receipt_info":[{"original_transaction_id":"88"}]}}
                """#
            let taken = try await backend.server.send("POST", "/api/billing/webhooks/apple", Array(told.utf8))
            #expect(taken.status == 200 && taken.string("result") == "parked", "\(taken.text)")
            var isDone = false
            for _ in 0..<200 where !isDone {
                isDone = try await backend.server.schema.number("SELECT COUNT(*) FROM jobs WHERE kind = 'lookup'") == 0
                if !isDone { try await Task.sleep(for: .milliseconds(100)) }
            }
            #expect(isDone && apple.requests.filter { $0.line.contains("/history/88?") }.count == 2)
            #expect(try await backend.server.end() == 0)
        }
    }
}
