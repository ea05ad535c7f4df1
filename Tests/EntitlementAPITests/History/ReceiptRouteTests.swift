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
    static let path = "/api/iap/apple/receipts"

    /// A server, the Apple that it asks, and verifyReceipt.
    struct Shop {
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

        func show(_ receipt: SimulatedReceipt, as user: String = "u1") async throws -> JSONValue {
            let answer = try await send(#"{"receipt_data":"\#(try receipt.text)"}"#, as: user)
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

    static func open(
        isConfigured: Bool = true, rules: ClaimRules = ClaimRules(), rateLimits: RateLimits = RateLimits(),
        patience: Duration = .seconds(60), _ body: @Sendable (Shop) async throws -> Void
    ) async throws {
        let (apple, desk) = (AppleShelf(), ReceiptDesk())
        try await TestServer.run(
            rateLimits: rateLimits, rules: rules, asking: apple,
            receipts: try Receipts.sample(asking: isConfigured ? desk : nil), patience: patience
        ) { server in
            try await body(Shop(server: server, apple: apple, desk: desk))
        }
    }

    /// The texts of a plan that is renewed every ten minutes since 2026-01-10, all by the id of the plan.
    static func plan(
        _ id: String, renewals: [String], _ shop: Shop
    ) throws -> [(id: String, text: String)] {
        let period: Int64 = 600_000
        var start: Int64 = 1_768_003_200_000
        var plan = SimulatedTransaction.subscription(
            id, of: "annual3", group: "g", bundleId: Fixture.app.text, at: start, until: start + period)
        var texts = [(id: id, text: try shop.server.authority.sign(plan).text)]
        for renewal in renewals {
            start += period
            plan = plan.renewed(as: renewal, until: start + period)
            texts.append((id: id, text: try shop.server.authority.sign(plan).text))
        }
        return texts
    }

    static func outcomes(_ answer: JSONValue) -> [String] {
        answer["results"]?.elements?.map { "\($0["transaction_id"]?.string ?? "") \($0["outcome"]?.string ?? "")" }
            ?? []
    }

    @Test func `the purchases of a receipt are claimed, and the account's history behind them`() async throws {
        try await Self.open { shop in
            shop.apple.add(.init(texts: [try shop.text("1001"), try shop.text("1002"), try shop.text("1003")]))
            let answer = try await shop.show(SimulatedReceipt(["1001", "1002"]))
            #expect(Self.outcomes(answer) == ["1001 attached", "1002 attached"])
            #expect(answer["history"]?.string == "complete" && answer["summary"]?["recovered"]?.integer == "1")
            #expect(answer["status"]?["state"]?.string == "active")
            #expect(try await shop.purchases() == ["1001", "1002", "1003"])
            // One history has both purchases, and the walk reads it again.
            #expect(shop.apple.environments == [.sandbox, .sandbox])
            #expect(try await shop.count("jobs") == 0)
            let again = try await shop.show(SimulatedReceipt(["1001", "1002"]))
            #expect(again["history"]?.string == "recent" && Self.outcomes(again).isEmpty)
            #expect(again["status"]?["state"]?.string == "active" && shop.apple.asked.count == 2)
        }
    }

    @Test func `a receipt is read with spaces for plus signs, and with line breaks`() async throws {
        try await Self.open { shop in
            shop.apple.add(.init(texts: [try shop.text("1001")]))
            // The digits of an id give no plus sign, but the lengths of a receipt with more ids do.
            let texts = try (1...60).map { count in try SimulatedReceipt((0..<count).map { String(1_001 + $0) }).text }
            let text = try #require(texts.first { $0.contains("+") }).replacing("+", with: " ")
            let broken = text.prefix(40) + #"\r\n"# + text.dropFirst(40)
            let answer = try await shop.send(#"{"receipt_data":"\#(broken)"}"#)
            #expect(Self.outcomes(try answer.json) == ["1001 attached"], "\(answer.body)")
        }
    }

    @Test func `a thief with somebody's receipt learns nothing`() async throws {
        try await Self.open { shop in
            let sent = try shop.text("1001")
            shop.apple.add(.init(texts: [sent, try shop.text("1002"), try shop.text("1003")]))
            let receipt = SimulatedReceipt(["1001"])
            #expect(Self.outcomes(try await shop.show(receipt)) == ["1001 attached"])
            let stolen = try await shop.send(#"{"receipt_data":"\#(try receipt.text)"}"#, as: "thief")
            let body = try stolen.json
            #expect(Self.outcomes(body) == [" refused"])
            #expect(body["results"]?.elements?.first?["code"]?.string == "owned_by_another_user")
            #expect(!stolen.body.contains("1002") && !stolen.body.contains("u1"), "\(stolen.body)")
            #expect(body["status"]?["state"]?.string == "none")
            #expect(try await shop.purchases(of: "thief").isEmpty)
        }
    }

    @Test func `a stranger's plan is refused with one result, which names no product and no renewal`() async throws {
        try await Self.open { shop in
            shop.apple.add(.init(texts: try Self.plan("1001", renewals: ["1007"], shop)))
            let receipt = SimulatedReceipt(["1001"])
            #expect(Self.outcomes(try await shop.show(receipt)).count == 2)
            let stolen = try await shop.send(#"{"receipt_data":"\#(try receipt.text)"}"#, as: "thief")
            let body = try stolen.json
            #expect(Self.outcomes(body) == [" refused"] && body["summary"]?["refused"]?.integer == "1")
            #expect(body["summary"]?["duplicates"]?.integer == "0")
            #expect(!stolen.body.contains("1007") && !stolen.body.contains("annual3"), "\(stolen.body)")
        }
    }

    @Test func `a receipt may name a purchase by the id of one of its transactions`() async throws {
        try await Self.open { shop in
            let texts = try Self.plan("1001", renewals: ["1007"], shop)
            shop.apple.add(.init(texts: zip(["1001", "1007"], texts).map { (id: $0, text: $1.text) }))
            let answer = try await shop.show(SimulatedReceipt(["1007"]))
            let results = answer["results"]?.elements ?? []
            #expect(results.map { $0["transaction_id"]?.string } == ["1007"])
            #expect(try await shop.purchases() == ["1001"])
        }
    }

    @Test(.timeLimit(.minutes(20)))
    func `while look-ups are owed behind five hundred transactions the answer says so`() async throws {
        try await Self.open { shop in
            let renewals = (2_001...2_499).map(String.init)
            shop.apple.add(.init(texts: try Self.plan("1001", renewals: renewals, shop)))
            shop.apple.add(.init(texts: [try shop.text("1002", account: "9")]))
            let answer = try await shop.show(SimulatedReceipt(["1001", "1002"]))
            #expect(answer["history"]?.string == "pending" && answer["results"]?.elements?.count == 500)
            #expect(try await shop.count("lookups WHERE answered_at IS NULL") == 1)
            #expect(try await shop.count("jobs WHERE kind = 'lookup'") == 1)
        }
    }

    @Test func `of several texts of a transaction the newest counts`() async throws {
        try await Self.open { shop in
            var pass = Fixture.pass("1001")
            let newest = try shop.server.authority.sign(pass).text
            pass.signedDate -= 1
            let older = try shop.server.authority.sign(pass).text
            shop.apple.add(.init(texts: [(id: "1001", text: newest), (id: "1001", text: older)]))
            #expect(Self.outcomes(try await shop.show(SimulatedReceipt(["1001"]))) == ["1001 attached"])
        }
    }

    @Test func `a receipt of a purchase that names another user claims nothing`() async throws {
        try await Self.open { shop in
            let issued = try await shop.server.send(
                "GET", "/api/iap/apple/account-token", token: Fixture.token(of: "u2"))
            let token = try issued.json["app_account_token"]?.string
            shop.apple.add(.init(texts: [try shop.text("1001", token: token), try shop.text("1002")]))
            let answer = try await shop.show(SimulatedReceipt(["1001"]))
            #expect(Self.outcomes(answer) == [" refused"])
            #expect(answer["results"]?.elements?.first?["code"]?.string == "account_token_mismatch")
            #expect(try await shop.purchases().isEmpty && shop.apple.asked.count == 1, "no history is walked")
        }
    }

    @Test func `under the rule of proof a receipt claims only with the proof`() async throws {
        try await Self.open(rules: ClaimRules(unclaimed: .proof)) { shop in
            shop.apple.add(.init(texts: [try shop.text("1001")]))
            let receipt = SimulatedReceipt(["1001"])
            #expect(Self.outcomes(try await shop.show(receipt)) == [" refused"])
            #expect(try await shop.show(receipt)["history"]?.string == "recent")
            var app = SimulatedAppTransaction(bundleId: Fixture.app.text, at: Fixture.now.milliseconds)
            app.appTransactionId = "704897469903383919"
            let proof = try shop.server.authority.sign(app).text
            let answer = try await shop.send(
                #"{"receipt_data":"\#(try receipt.text)","signedAppTransaction":"\#(proof)"}"#)
            #expect(Self.outcomes(try answer.json) == ["1001 attached"], "\(answer.body)")
        }
    }

    @Test func `a receipt of another app is refused, and Apple is not asked`() async throws {
        try await Self.open { shop in
            var receipt = SimulatedReceipt(["1001"])
            receipt.bundleID = "com.other"
            let answer = try await shop.send(#"{"receipt_data":"\#(try receipt.text)"}"#)
            #expect(answer.status == 422 && answer.code == "wrong_app", "\(answer.body)")
            #expect(shop.apple.asked.isEmpty && shop.desk.asked.isEmpty)
            #expect(try await shop.count("lookups") == 0)
        }
    }

    @Test func `after five ids that Apple does not know the rest of a receipt is not asked about`() async throws {
        try await Self.open { shop in
            let answer = try await shop.show(SimulatedReceipt((1...9).map(String.init)))
            #expect(answer["history"]?.string == "complete" && shop.apple.asked.count == 5)
            #expect(try await shop.count("lookups WHERE answered_at IS NULL") == 0)
        }
    }

    @Test func `a history that breaks off or cannot be read is no answer`() async throws {
        for failure in [AppStoreServerFailure.refused(code: 4_040_010), .unreadable] {
            try await Self.open { shop in
                let texts = try (1_001...1_021).map { try shop.text(String($0)) }
                shop.apple.add(.init(texts: texts))
                shop.apple.onAsk { [apple = shop.apple] in if apple.asked.count == 2 { apple.fail(failure) } }
                let answer = try await shop.show(SimulatedReceipt(["1001"]))
                #expect(answer["history"]?.string == "pending" && Self.outcomes(answer).isEmpty)
                try await shop.server.api.history?.lookUp(for: shop.person())
                #expect(try await shop.purchases() == ["1001"])
            }
        }
    }

    @Test func `a history that leads back to a page ends there`() async throws {
        try await Self.open { shop in
            shop.apple.add(.init(texts: [try shop.text("1001")]))
            shop.apple.lead { number in ["x", "y"][number % 2] }
            let answer = try await shop.show(SimulatedReceipt(["1001"]))
            #expect(Self.outcomes(answer) == ["1001 attached"] && answer["history"]?.string == "complete")
            #expect(shop.apple.asked.count == 2 * 3, "the look-up, and the walk behind it")
        }
    }

    @Test func `ids that Apple does not know lead nowhere`() async throws {
        try await Self.open { shop in
            shop.apple.add(.init(app: AppID("com.other"), texts: [try shop.text("1001")]))
            let answer = try await shop.show(SimulatedReceipt(["1001", "4711"]))
            #expect(Self.outcomes(answer).isEmpty && answer["history"]?.string == "complete")
            #expect(shop.apple.environments == [.sandbox, .sandbox])
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
                let receipt = SimulatedReceipt(["1001"])
                let answer = try await shop.show(receipt)
                #expect(answer["history"]?.string == "pending" && Self.outcomes(answer).isEmpty)
                #expect(try await shop.show(receipt)["history"]?.string == "pending", "the answer is owed")
                #expect(try await shop.purchases().isEmpty && shop.apple.asked.count == 1)
                try await shop.server.api.history?.lookUp(for: shop.person())
                #expect(try await shop.purchases() == ["1001"])
                #expect(try await shop.count("jobs WHERE kind = 'lookup'") == 0)
                #expect(try await shop.count("jobs WHERE kind = 'history'") == 1, "a walk follows")
                #expect(try await shop.show(receipt)["history"]?.string == "recent")
            }
        }
    }

    @Test func `an answer that breaks off is claimed as far as it came, and a job does the rest`() async throws {
        try await Self.open { shop in
            shop.apple.add(.init(texts: [try shop.text("1002")]))
            shop.apple.add(.init(texts: [try shop.text("1001", account: "9")]))
            let answer = try await Self.failing(after: 1, shop) {
                try await shop.show(SimulatedReceipt(["1001", "1002"]))
            }
            #expect(Self.outcomes(answer) == ["1001 attached"] && answer["history"]?.string == "pending")
            try await shop.server.api.history?.lookUp(for: shop.person())
            #expect(try await shop.purchases() == ["1001", "1002"])
            #expect(try await shop.count("jobs WHERE kind = 'lookup'") == 0)
        }
    }

    /// Runs `body` while Apple fails once, after so many answers.
    static func failing(
        after count: Int, _ shop: Shop, _ body: () async throws -> JSONValue
    ) async throws -> JSONValue {
        shop.apple.onAsk { [apple = shop.apple] in
            if apple.asked.count == count + 1 { throw AppStoreServerFailure.unreachable("cut off") }
        }
        return try await body()
    }

    @Test(.timeLimit(.minutes(20)))
    func `a receipt does not wait for a slow Apple, and is claimed behind its answer`() async throws {
        try await Self.open(patience: .milliseconds(50)) { shop in
            shop.apple.add(.init(texts: [try shop.text("1001")]))
            shop.apple.wait(.seconds(1))
            #expect(try await shop.show(SimulatedReceipt(["1001"]))["history"]?.string == "pending")
            while try await shop.purchases().isEmpty { try await Task.sleep(for: .milliseconds(50)) }
        }
    }

    @Test func `an answer that comes after the user was erased brings nobody back`() async throws {
        try await Self.open { shop in
            shop.apple.add(.init(texts: [try shop.text("1001")]))
            shop.apple.fail(.unreachable("away"))
            _ = try await shop.show(SimulatedReceipt(["1001"]))
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

    @Test func `a user who is erased while the request asks Apple gets nothing, and no text is kept`() async throws {
        try await Self.open { shop in
            shop.apple.add(.init(texts: [try shop.text("1001")]))
            shop.apple.onAsk { [server = shop.server, apple = shop.apple] in
                guard apple.asked.count == 1 else { return }
                let answer = try await server.send(
                    "POST", "/api/admin/users/u1/erase", #"{"reason":"r"}"#, token: Fixture.apiKey(.admin),
                    fields: [("Idempotency-Key", "k")])
                #expect((200..<300).contains(answer.status), "\(answer.body)")
            }
            let answer = try await shop.show(SimulatedReceipt(["1001"]))
            #expect(Self.outcomes(answer).isEmpty && answer["status"]?["state"]?.string == "none")
            #expect(try await shop.count("lookups") == 0)
            #expect(try await shop.count("purchases") == 0)
            #expect(try await shop.count("users WHERE user_id = 'u1'") == 0)
        }
    }

    @Test func `a user has at most a hundred purchases looked up in ten minutes`() async throws {
        try await Self.open(rateLimits: RateLimits(restorePerMinute: 0)) { shop in
            #expect(try await shop.show(SimulatedReceipt((1...60).map(String.init)))["history"]?.string == "complete")
            let second = SimulatedReceipt((61...120).map(String.init))
            let refused = try await shop.send(#"{"receipt_data":"\#(try second.text)"}"#)
            #expect(refused.status == 429 && refused.headers.first(name: "Retry-After") == "600")
            shop.server.clock.now = shop.server.clock.now + Lookups.pause
            #expect(try await shop.show(second)["history"]?.string == "complete")
        }
    }
}
