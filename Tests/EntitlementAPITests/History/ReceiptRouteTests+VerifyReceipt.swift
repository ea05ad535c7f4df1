import AppStore
import Entitlements
import Foundation
import LedgerStore
import MariaDB
import NIOHTTP1
import StoreSimulator
import StrictJSON
import Support
import Testing

@testable import EntitlementAPI

/// Texts that are no receipt, and receipts without an id.
extension ReceiptRouteTests {
    @Test func `what is no receipt is refused, and nothing is asked`() async throws {
        try await Self.open { shop in
            for (body, status, code) in [
                ("{}", 400, "invalid_request"), (#"{"receipt_data":null}"#, 400, "invalid_request"),
                (#"{"receipt_data":7}"#, 400, "invalid_request"), (#"{"receipt_data":""}"#, 400, "invalid_request"),
                ("[]", 400, "invalid_request"), (#"{"receipt_data":"!"}"#, 422, "evidence_invalid"),
                (#"{"receipt_data":"AAAA"}"#, 422, "evidence_invalid"),
                (#"{"receipt_data":"\#(SimulatedReceipt(["1"]).unsignedText.dropLast(8))"}"#, 422, "evidence_invalid"),
            ] {
                let answer = try await shop.send(body)
                #expect(answer.status == status && answer.code == code, "\(body): \(answer.body)")
            }
            let size = 1 << 20
            let frame = #"{"receipt_data":""}"#
            let fits = #"{"receipt_data":"\#(String(repeating: "A", count: size - frame.utf8.count))"}"#
            #expect(try await shop.send(fits).status == 422)
            let large = try await shop.send(fits + " ")
            #expect(large.status == 413 && large.code == "payload_too_large")
            #expect(shop.apple.asked.isEmpty && shop.desk.asked.isEmpty)
        }
    }

    @Test func `a receipt without an id is read by verifyReceipt, and its purchases are claimed`() async throws {
        try await Self.open { shop in
            shop.apple.add(.init(texts: [try shop.text("1001")]))
            shop.desk.say(
                #"{"status":21007}"#,
                #"""
                {"status":0,"receipt":{"bundle_id":"com.example.app","app_item_id":0,
                 "in_app":[{"original_transaction_id":"1001"}]}}
                """#
            )
            let receipt = SimulatedReceipt()
            #expect(Self.outcomes(try await shop.show(receipt)) == ["1001 attached"])
            #expect(shop.desk.asked == [try receipt.text, try receipt.text])
            let old = Data(#"{"purchase-info" = "e30=";}"#.utf8).base64EncodedString()
            shop.desk.say(#"{"status":0,"receipt":{"bid":"com.example.app","original_transaction_id":"1001"}}"#)
            let answer = try await shop.send(#"{"receipt_data":"\#(old)"}"#)
            #expect(try answer.json["history"]?.string == "recent", "\(answer.body)")
        }
    }

    @Test func `each answer of verifyReceipt that is no receipt has its problem`() async throws {
        try await Self.open { shop in
            let body = #"{"receipt_data":"\#(try SimulatedReceipt().text)"}"#
            for (said, status, code) in [
                (#"{"status":21004}"#, 503, "unavailable"), (#"{"status":21005}"#, 503, "unavailable"),
                (#"{"status":21009}"#, 503, "unavailable"), ("no JSON", 503, "unavailable"),
                (#"{"status":21003}"#, 422, "evidence_invalid"), (#"{"status":21010}"#, 422, "evidence_invalid"),
                (#"{"status":0,"receipt":{"bundle_id":"com.other","in_app":[]}}"#, 422, "wrong_app"),
                (#"{"status":0,"receipt":{}}"#, 422, "wrong_app"),
            ] {
                shop.desk.say(said)
                let answer = try await shop.send(body)
                #expect(answer.status == status && answer.code == code, "\(said): \(answer.body)")
            }
            #expect(shop.server.log.lines.contains { $0.contains("does not accept apple.shared_secret") })
            #expect(shop.apple.asked.isEmpty)
            #expect(try await shop.count("lookups") == 0)
        }
    }

    @Test func `a receipt without purchases is a restore of nothing, which heals through what the user has`()
        async throws
    {
        for isConfigured in [true, false] {
            try await Self.open(isConfigured: isConfigured) { shop in
                let sent = try shop.text("1001")
                shop.apple.add(.init(texts: [sent, try shop.text("1002")]))
                _ = try await shop.server.send(
                    "POST", "/api/iap/apple/transactions/attach", #"{"signedTransactionJWS":"\#(sent.text)"}"#)
                shop.desk.say(
                    #"{"status":21007}"#, #"{"status":0,"receipt":{"bundle_id":"com.example.app","in_app":[]}}"#)
                let answer = try await shop.show(SimulatedReceipt())
                #expect(Self.outcomes(answer).isEmpty && answer["summary"]?["recovered"]?.integer == "1")
                #expect(answer["history"]?.string == (isConfigured ? "complete" : "not_configured"))
                #expect(answer["status"]?["entitlements"]?.elements?.count == 2)
                #expect(shop.apple.asked == [.history(of: "1001", after: nil)])
                #expect(try await shop.purchases() == ["1001", "1002"])
            }
        }
    }

    @Test func `a receipt without an app is told so, whoever reads it`() async throws {
        try await Self.open { shop in
            var receipt = SimulatedReceipt(["1001"])
            receipt.bundleID = nil
            shop.desk.say(#"{"status":0,"receipt":{}}"#)
            for text in [try receipt.text, try SimulatedReceipt().text] {
                let answer = try await shop.send(#"{"receipt_data":"\#(text)"}"#)
                #expect(answer.status == 422 && answer.code == "wrong_app", "\(answer.body)")
                #expect(try answer.json["detail"]?.string == "The receipt names no app.")
            }
            #expect(shop.apple.asked.isEmpty)
        }
    }

    @Test func `without the shared secret a receipt without an id says so, and without a key there is no route`()
        async throws
    {
        try await Self.open(isConfigured: false) { shop in
            let answer = try await shop.show(SimulatedReceipt())
            #expect(answer["history"]?.string == "not_configured" && Self.outcomes(answer).isEmpty)
            shop.apple.add(.init(texts: [try shop.text("1001")]))
            #expect(Self.outcomes(try await shop.show(SimulatedReceipt(["1001"]))) == ["1001 attached"])
        }
        try await TestServer.run { server in
            let answer = try await server.send(
                "POST", Self.path, #"{"receipt_data":"\#(try SimulatedReceipt(["1"]).text)"}"#)
            #expect(answer.status == 404 && answer.code == "not_found")
            #expect(try await server.send("POST", Self.path, "{}", token: nil).status == 401)
        }
    }
}
