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

/// Legacy receipts lead to Apple's signed texts, which go the way of a restore (`semantics.md` §6).
struct ReceiptRouteTests {
    private static let path = "/api/iap/apple/receipts"

    /// A server, the Apple that it asks, and verifyReceipt.
    private struct Shop {
        let server: TestServer
        let apple: AppleShelf
        let desk: ReceiptDesk

        /// The signed text of a pass, bought on 2026-01-10.
        func text(
            _ id: String, account: String? = "704897469903383919", token: String? = nil,
            in environment: StoreEnvironment = .sandbox
        ) throws -> (id: String, text: String) {
            var pass = Fixture.pass(id)
            pass.appTransactionId = account
            pass.appAccountToken = token
            pass.environment = environment
            return (id, try server.authority.sign(pass).text)
        }

        func send(_ body: String, as user: String = "u1") async throws -> TestServer.Answer {
            try await server.send("POST", ReceiptRouteTests.path, body, token: Fixture.token(of: user))
        }

        func show(_ receipt: ReceiptWriter, as user: String = "u1") async throws -> JSONValue {
            let answer = try await send(#"{"receipt_data":"\#(receipt.base64)"}"#, as: user)
            #expect(answer.status == 200, "\(answer.body)")
            return try answer.json
        }

        /// The purchases that a user has.
        func purchases(of user: String = "u1") async throws -> [String] {
            let answer = try await server.send("GET", "/api/iap/purchases", token: Fixture.token(of: user))
            return try answer.json["data"]?.elements?.compactMap { $0["external_id"]?.string }.sorted() ?? []
        }

        func person() async throws -> UInt64 {
            let rows = try await server.open.schema.rows("SELECT subject FROM jobs WHERE kind = 'lookup'")
            guard case .uint64(let person)? = rows.first?.first else { throw Fixture.Missing() }
            return person
        }

        func count(_ table: String) async throws -> Int {
            try await server.open.schema.number("SELECT COUNT(*) FROM \(table)")
        }
    }

    private static func open(
        isConfigured: Bool = true, rules: ClaimRules = ClaimRules(), rateLimits: RateLimits = RateLimits(),
        patience: Duration = .seconds(60), _ body: @Sendable (Shop) async throws -> Void
    ) async throws {
        let (apple, desk) = (AppleShelf(), ReceiptDesk())
        try await TestServer.run(
            rateLimits: rateLimits, rules: rules, asking: apple,
            receipts: isConfigured ? Receipts(server: desk, secret: "shared") : nil, patience: patience
        ) { server in
            try await body(Shop(server: server, apple: apple, desk: desk))
        }
    }

    private static func outcomes(_ answer: JSONValue) -> [String] {
        answer["results"]?.elements?.map { "\($0["transaction_id"]?.string ?? "") \($0["outcome"]?.string ?? "")" }
            ?? []
    }

    @Test func `the purchases of a receipt are claimed, and the account's history behind them`() async throws {
        try await Self.open { shop in
            shop.apple.add(.init(texts: [try shop.text("1001"), try shop.text("1002"), try shop.text("1003")]))
            let answer = try await shop.show(ReceiptWriter(["1001", "1002"]))
            #expect(Self.outcomes(answer) == ["1001 attached", "1002 attached"])
            #expect(answer["history"]?.string == "complete" && answer["summary"]?["recovered"]?.integer == "1")
            #expect(answer["status"]?["state"]?.string == "active")
            #expect(try await shop.purchases() == ["1001", "1002", "1003"])
            // Production does not know it; one history has both purchases, and the walk reads it again.
            #expect(shop.apple.environments == [.production, .sandbox, .sandbox])
            #expect(try await shop.count("jobs") == 0)
            let again = try await shop.show(ReceiptWriter(["1001", "1002"]))
            #expect(again["history"]?.string == "recent" && Self.outcomes(again).isEmpty)
            #expect(again["status"]?["state"]?.string == "active" && shop.apple.asked.count == 3)
        }
    }

    @Test func `a receipt is read with spaces for plus signs, and with line breaks`() async throws {
        try await Self.open { shop in
            shop.apple.add(.init(texts: [try shop.text("1001")]))
            let text = ReceiptWriter(["1001"]).base64.replacing("+", with: " ")
            let broken = text.prefix(40) + #"\r\n"# + text.dropFirst(40)
            let answer = try await shop.send(#"{"receipt_data":"\#(broken)"}"#)
            #expect(Self.outcomes(try answer.json) == ["1001 attached"], "\(answer.body)")
        }
    }

    @Test func `a thief with somebody's receipt learns nothing`() async throws {
        try await Self.open { shop in
            let sent = try shop.text("1001")
            shop.apple.add(.init(texts: [sent, try shop.text("1002"), try shop.text("1003")]))
            let receipt = ReceiptWriter(["1001"])
            #expect(Self.outcomes(try await shop.show(receipt)) == ["1001 attached"])
            let stolen = try await shop.send(#"{"receipt_data":"\#(receipt.base64)"}"#, as: "thief")
            let body = try stolen.json
            #expect(Self.outcomes(body) == ["1001 refused"])
            #expect(body["results"]?.elements?.first?["code"]?.string == "owned_by_another_user")
            #expect(!stolen.body.contains("1002") && !stolen.body.contains("u1"), "\(stolen.body)")
            #expect(body["status"]?["state"]?.string == "none")
            #expect(try await shop.purchases(of: "thief").isEmpty)
        }
    }

    @Test func `a receipt of a purchase that names another user claims nothing`() async throws {
        try await Self.open { shop in
            let issued = try await shop.server.send(
                "GET", "/api/iap/apple/account-token", token: Fixture.token(of: "u2"))
            let token = try issued.json["app_account_token"]?.string
            shop.apple.add(.init(texts: [try shop.text("1001", token: token), try shop.text("1002")]))
            let answer = try await shop.show(ReceiptWriter(["1001"]))
            #expect(Self.outcomes(answer) == ["1001 refused"])
            #expect(answer["results"]?.elements?.first?["code"]?.string == "account_token_mismatch")
            #expect(try await shop.purchases().isEmpty && shop.apple.asked.count == 2, "no history is walked")
        }
    }

    @Test func `under the rule of proof a receipt claims only with the proof`() async throws {
        try await Self.open(rules: ClaimRules(unclaimed: .proof)) { shop in
            shop.apple.add(.init(texts: [try shop.text("1001")]))
            let receipt = ReceiptWriter(["1001"])
            #expect(Self.outcomes(try await shop.show(receipt)) == ["1001 refused"])
            shop.server.clock.now = shop.server.clock.now + Lookups.pause
            var app = SimulatedAppTransaction(bundleId: Fixture.app.text, at: Fixture.now.milliseconds)
            app.appTransactionId = "704897469903383919"
            let proof = try shop.server.authority.sign(app).text
            let answer = try await shop.send(
                #"{"receipt_data":"\#(receipt.base64)","signedAppTransaction":"\#(proof)"}"#)
            #expect(Self.outcomes(try answer.json) == ["1001 attached"], "\(answer.body)")
        }
    }

    @Test func `ids that Apple does not know, and receipts of other apps, lead nowhere`() async throws {
        try await Self.open { shop in
            shop.apple.add(.init(app: AppID("com.other"), texts: [try shop.text("1001")]))
            var receipt = ReceiptWriter(["1001", "4711"])
            receipt.bundleID = "com.other"
            let answer = try await shop.show(receipt)
            #expect(Self.outcomes(answer).isEmpty && answer["history"]?.string == "complete")
            #expect(shop.apple.environments == [.production, .sandbox, .production, .sandbox])
            #expect(try await shop.count("jobs") == 0)
            #expect(try await shop.count("purchases") == 0)
            #expect(shop.desk.asked.isEmpty)
        }
    }

    @Test func `while Apple is away the receipt's ids are kept, and a job brings them`() async throws {
        for failure in [
            AppStoreServerFailure.unreachable("away"), .paused(until: Fixture.now), .refused(code: 4_040_002),
        ] {
            try await Self.open { shop in
                shop.apple.add(.init(texts: [try shop.text("1001"), try shop.text("1002")]))
                shop.apple.fail(failure)
                let receipt = ReceiptWriter(["1001"])
                let answer = try await shop.show(receipt)
                #expect(answer["history"]?.string == "pending" && Self.outcomes(answer).isEmpty)
                #expect(try await shop.show(receipt)["history"]?.string == "pending", "the answer is owed")
                #expect(try await shop.purchases().isEmpty && shop.apple.asked.count == 1)
                try await shop.server.api.history?.lookUp(for: shop.person())
                #expect(try await shop.purchases() == ["1001"])
                #expect(try await shop.count("jobs") == 0)
                #expect(try await shop.show(receipt)["history"]?.string == "recent")
            }
        }
    }

    @Test func `an answer that breaks off is claimed as far as it came, and a job does the rest`() async throws {
        try await Self.open { shop in
            shop.apple.add(.init(texts: [try shop.text("1002")]))
            shop.apple.add(.init(texts: [try shop.text("1001", account: "9")]))
            let answer = try await Self.failing(after: 2, shop) {
                try await shop.show(ReceiptWriter(["1001", "1002"]))
            }
            #expect(Self.outcomes(answer) == ["1001 attached"] && answer["history"]?.string == "pending")
            try await shop.server.api.history?.lookUp(for: shop.person())
            #expect(try await shop.purchases() == ["1001", "1002"])
            #expect(try await shop.count("jobs") == 0)
        }
    }

    /// Runs `body` while Apple fails once, after so many answers.
    private static func failing(
        after count: Int, _ shop: Shop, _ body: () async throws -> JSONValue
    ) async throws -> JSONValue {
        shop.apple.onAsk { [apple = shop.apple] in
            if apple.asked.count == count + 1 { throw AppStoreServerFailure.unreachable("cut off") }
        }
        return try await body()
    }

    @Test(.timeLimit(.minutes(2)))
    func `a receipt does not wait for a slow Apple, and is claimed behind its answer`() async throws {
        try await Self.open(patience: .milliseconds(50)) { shop in
            shop.apple.add(.init(texts: [try shop.text("1001")]))
            shop.apple.wait(.seconds(1))
            #expect(try await shop.show(ReceiptWriter(["1001"]))["history"]?.string == "pending")
            while try await shop.purchases().isEmpty { try await Task.sleep(for: .milliseconds(50)) }
        }
    }

    @Test func `an answer that comes after the user was erased brings nobody back`() async throws {
        try await Self.open { shop in
            shop.apple.add(.init(texts: [try shop.text("1001")]))
            shop.apple.fail(.unreachable("away"))
            _ = try await shop.show(ReceiptWriter(["1001"]))
            let person = try await shop.person()
            shop.apple.onAsk { [server = shop.server] in
                let answer = try await server.send(
                    "POST", "/api/admin/users/u1/erase", #"{"reason":"r"}"#, token: Fixture.apiKey(.admin),
                    fields: [("Idempotency-Key", "k")])
                #expect((200..<300).contains(answer.status), "\(answer.body)")
            }
            try await shop.server.api.history?.lookUp(for: person)
            #expect(try await shop.count("lookups") == 0)
            #expect(try await shop.count("jobs") == 0)
            #expect(try await shop.server.open.schema.number("SELECT COUNT(*) FROM users WHERE user_id = 'u1'") == 0)
            #expect(try await shop.count("purchases WHERE user_id IS NOT NULL") == 0)
        }
    }

    @Test func `a user has at most a hundred purchases looked up in ten minutes`() async throws {
        try await Self.open(rateLimits: RateLimits(restorePerMinute: 0)) { shop in
            #expect(try await shop.show(ReceiptWriter((1...60).map(String.init)))["history"]?.string == "complete")
            let second = ReceiptWriter((61...120).map(String.init))
            let refused = try await shop.send(#"{"receipt_data":"\#(second.base64)"}"#)
            #expect(refused.status == 429 && refused.headers.first(name: "Retry-After") == "600")
            shop.server.clock.now = shop.server.clock.now + Lookups.pause
            #expect(try await shop.show(second)["history"]?.string == "complete")
        }
    }

    @Test func `what is no receipt is refused, and nothing is asked`() async throws {
        try await Self.open { shop in
            for (body, status, code) in [
                ("{}", 400, "invalid_request"), (#"{"receipt_data":null}"#, 400, "invalid_request"),
                (#"{"receipt_data":7}"#, 400, "invalid_request"), (#"{"receipt_data":""}"#, 400, "invalid_request"),
                ("[]", 400, "invalid_request"), (#"{"receipt_data":"!"}"#, 422, "evidence_invalid"),
                (#"{"receipt_data":"AAAA"}"#, 422, "evidence_invalid"),
                (#"{"receipt_data":"\#(ReceiptWriter(["1"]).base64.dropLast(8))"}"#, 422, "evidence_invalid"),
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
            let receipt = ReceiptWriter()
            #expect(Self.outcomes(try await shop.show(receipt)) == ["1001 attached"])
            #expect(shop.desk.asked == [receipt.base64, receipt.base64])
            let old = Data(#"{"purchase-info" = "e30=";}"#.utf8).base64EncodedString()
            shop.desk.say(#"{"status":0,"receipt":{"bid":"com.example.app","original_transaction_id":"1001"}}"#)
            let answer = try await shop.send(#"{"receipt_data":"\#(old)"}"#)
            #expect(try answer.json["history"]?.string == "recent", "\(answer.body)")
        }
    }

    @Test func `each answer of verifyReceipt that is no receipt has its problem`() async throws {
        try await Self.open { shop in
            let body = #"{"receipt_data":"\#(ReceiptWriter().base64)"}"#
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

    @Test func `without the shared secret a receipt without an id says so, and without a key there is no route`()
        async throws
    {
        try await Self.open(isConfigured: false) { shop in
            let answer = try await shop.show(ReceiptWriter())
            #expect(answer["history"]?.string == "not_configured" && Self.outcomes(answer).isEmpty)
            shop.apple.add(.init(texts: [try shop.text("1001")]))
            #expect(Self.outcomes(try await shop.show(ReceiptWriter(["1001"]))) == ["1001 attached"])
        }
        try await TestServer.run { server in
            let answer = try await server.send(
                "POST", Self.path, #"{"receipt_data":"\#(ReceiptWriter(["1"]).base64)"}"#)
            #expect(answer.status == 404 && answer.code == "not_found")
            #expect(try await server.send("POST", Self.path, "{}", token: nil).status == 401)
        }
    }
}
