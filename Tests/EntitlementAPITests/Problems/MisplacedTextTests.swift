import AppStore
import Entitlements
import Foundation
import StoreSimulator
import StrictJSON
import Support
import Testing

@testable import EntitlementAPI

/// Texts at the wrong place, or in another form than they were made: the detail says what they are and where they
/// belong.
struct MisplacedTextTests {
    private static let attach = "POST /api/iap/apple/transactions/attach"
    private static let webhook = "POST /api/billing/webhooks/apple"
    private static let receipts = "POST /api/iap/apple/receipts"

    /// The texts of each kind.
    private struct Texts {
        let transaction: String
        let appTransaction: String
        let notification: String
        let renewalInfo: String
        let receipt: String
        let json: String

        init(_ server: TestServer) throws {
            let authority = server.authority
            transaction = try authority.sign(Fixture.pass()).text
            appTransaction = try authority.sign(
                SimulatedAppTransaction(bundleId: Fixture.app.text, at: Fixture.now.milliseconds)
            ).text
            notification = try authority.sign(
                SimulatedEvent.oneTimeCharge(Fixture.pass()).notification(uuid: "n1", signedBy: authority)
            ).text
            renewalInfo = try authority.sign(
                SimulatedPayload([
                    ("autoRenewStatus", .integer(1)), ("signedDate", .integer(Fixture.now.milliseconds)),
                ]))
            receipt = try SimulatedReceipt(["1001"]).text
            json = #"{"transactionId":"1001","price":4990}"#
        }

        static func encoded(_ text: String) -> String { Data(text.utf8).base64EncodedString() }

        /// Texts that fit no place, each with words about it.
        var everywhereWrong: [(text: String, words: [String])] {
            [
                (json, ["is a decoded transaction", "jwsRepresentation", MisplacedTextTests.attach]),
                (Self.encoded(json), ["is base64 of a decoded transaction", "jwsRepresentation"]),
                (#"{"a":1}"#, ["is JSON without a signature", "jwsRepresentation"]),
                (
                    Self.encoded(transaction),
                    ["is base64 of a signed transaction", "without the base64", MisplacedTextTests.attach]
                ),
                (
                    Self.encoded(receipt),
                    ["is base64 of a receipt", "without the base64", MisplacedTextTests.receipts]
                ),
                (
                    "\"\(transaction)\"",
                    ["is a signed transaction in quotation marks", "without them", MisplacedTextTests.attach]
                ),
                ("'\(receipt)'", ["is a receipt in quotation marks", "without them", MisplacedTextTests.receipts]),
                ("\"x\"", ["is a text in quotation marks: send it without them."]),
            ]
        }

        var signed: [(text: String, words: [String])] {
            [
                (transaction, ["is a signed transaction: send it to \(MisplacedTextTests.attach)"]),
                (appTransaction, ["is a signed app transaction", "as signedAppTransaction"]),
                (notification, ["is a signed notification", MisplacedTextTests.webhook, "signedPayload"]),
                (renewalInfo, ["is signed renewal info", "no client sends it"]),
            ]
        }

        var misplacedReceipt: (text: String, words: [String]) {
            (receipt, ["is a receipt: send it to \(MisplacedTextTests.receipts) as receipt_data."])
        }
    }

    private static func check(_ detail: String?, _ text: (text: String, words: [String]), at place: String) {
        for words in text.words {
            #expect(detail?.contains(words) == true, "\(place), \(text.text.prefix(20)): \(detail ?? "")")
        }
        #expect(detail?.hasPrefix("This is ") == true && detail?.hasSuffix(".") == true, "\(place): \(detail ?? "")")
        #expect(detail?.contains(text.text) == false, "a detail repeats nothing")
    }

    @Test func `each of them is recognised where a transaction, a notification or a receipt belongs`() async throws {
        try await ReceiptRouteTests.open(rateLimits: RateLimits(attachPerMinute: 0, restorePerMinute: 0)) { shop in
            let texts = try Texts(shop.server)
            for (place, member, own, status) in [
                ("/api/iap/apple/transactions/attach", "signedTransactionJWS", texts.transaction, 422),
                ("/api/billing/webhooks/apple", "signedPayload", texts.notification, 400),
                ("/api/iap/apple/receipts", "receipt_data", texts.receipt, 422),
            ] {
                for text in texts.everywhereWrong + texts.signed + [texts.misplacedReceipt] where text.text != own {
                    let body = #"{"\#(member)":\#(SimulatedPayload.quoted(text.text))}"#
                    let answer = try await shop.server.send("POST", place, body)
                    #expect(answer.status == status && answer.code == "evidence_invalid", "\(answer.body)")
                    Self.check(try answer.json["detail"]?.string, text, at: place)
                }
            }
            #expect(shop.apple.asked.isEmpty && shop.desk.asked.isEmpty)
        }
    }

    @Test func `each item of a restore has words of its own, and those that are attached have none`() async throws {
        try await ReceiptRouteTests.open { shop in
            let texts = try Texts(shop.server)
            let wrong = texts.everywhereWrong + texts.signed.dropFirst() + [texts.misplacedReceipt]
            let list = (wrong.map(\.text) + [texts.transaction, "x"]).map { SimulatedPayload.quoted($0) }
            let answer = try await shop.server.send(
                "POST", "/api/iap/apple/restore", "[\(list.joined(separator: ","))]")
            #expect(answer.status == 200, "\(answer.body)")
            let results = try answer.json["results"]?.elements ?? []
            for (text, result) in zip(wrong, results) {
                #expect(result["code"]?.string == "evidence_invalid" && result["retry"]?.string == "never")
                Self.check(result["detail"]?.string, text, at: "restore")
            }
            #expect(results.dropLast().last?["outcome"]?.string == "attached")
            #expect(results.dropLast().last?["detail"]?.isNull == true)
            #expect(results.last?["detail"]?.string?.contains("this text has one") == true)
        }
    }

    @Test func `a receipt that is longer than any signed text is recognised all the same`() async throws {
        try await TestServer.run { server in
            let long = try SimulatedReceipt((1_000...1_400).map(String.init)).text
            #expect(long.utf8.count > 16 * 1_024)
            for body in [#"{"signedTransactionJWS":"\#(long)"}"#, #"{"signedTransactionJWS":"x\#(long)"}"#] {
                let answer = try await server.send("POST", "/api/iap/apple/transactions/attach", body)
                let detail = try answer.json["detail"]?.string
                #expect(answer.status == 413 && detail?.hasPrefix("A signed text may have 16384 bytes.") == true)
                #expect(detail?.contains("This is a receipt: send it to \(Self.receipts)") == !body.contains("\"x"))
            }
            let restored = try await server.send("POST", "/api/iap/apple/restore", #"["\#(long)"]"#)
            let item = try restored.json["results"]?.elements?.first
            #expect(item?["code"]?.string == "payload_too_large")
            #expect(item?["detail"]?.string?.contains("This is a receipt") == true, "\(restored.body)")
        }
    }

    @Test func `an object in place of a signed text is told that the text itself is wanted`() async throws {
        try await TestServer.run { server in
            for (path, body, isObject) in [
                ("/api/iap/apple/transactions/attach", #"{"signedTransactionJWS":{"transactionId":"1"}}"#, true),
                ("/api/iap/apple/transactions/attach", #"{"signedTransactionJWS":7}"#, false),
                ("/api/billing/webhooks/apple", #"{"signedPayload":{"notificationUUID":"1"}}"#, true),
            ] {
                let answer = try await server.send("POST", path, body)
                #expect(answer.status == 400 && answer.code == "invalid_request", "\(answer.body)")
                #expect(answer.body.contains("the signed text itself") == isObject, "\(answer.body)")
            }
        }
    }

    @Test func `a text of the right form is refused with what is wrong in it`() async throws {
        try await ReceiptRouteTests.open { shop in
            let texts = try Texts(shop.server)
            let parts = texts.transaction.split(separator: ".")
            for (place, member, text, words) in [
                (
                    "/api/iap/apple/transactions/attach", "signedTransactionJWS",
                    "\(parts[0]).\(parts[1]).\(parts[2])=",
                    "The signature segment is not canonical base64url."
                ),
                (
                    "/api/iap/apple/receipts", "receipt_data", String(texts.receipt.prefix(400)),
                    "The receipt is not PKCS#7"
                ),
                ("/api/iap/apple/receipts", "receipt_data", "!", "The receipt is not base64."),
            ] {
                let answer = try await shop.server.send("POST", place, #"{"\#(member)":"\#(text)"}"#)
                #expect(try answer.json["detail"]?.string?.hasPrefix(words) == true, "\(answer.body)")
            }
        }
    }
}
