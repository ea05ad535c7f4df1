import AppStore
import CryptoExtras
import Entitlements
import Foundation
import LedgerStore
import MariaDB
import NIOHTTP1
import StoreSimulator
import StrictJSON
import Support
import SwiftASN1
import Testing
import X509

@testable import EntitlementAPI

/// Receipts are easily made, and Apple's ids come in order. A receipt claims only with Apple's word, or what the
/// request proves (`semantics.md` §5).
struct ReceiptThiefTests {
    /// A receipt of the id 1001, which the account 704897469903383919 bought ten days ago.
    private enum Kind: CaseIterable {
        case madeUp, signedByAnotherRoot, signedByADeveloper, ofAnotherApp, genuine
        /// Made up, and verifyReceipt answers with this status.
        case answered0, answered21006, answered21003

        /// What Apple vouches for.
        var isVouched: Bool { self == .genuine || self == .answered0 || self == .answered21006 }

        /// The code and reason where nobody does.
        var refusal: (code: String, reason: String?, retry: String) {
            switch self {
            case .madeUp, .answered0, .answered21006, .answered21003: ("evidence_invalid", "malformed", "with_proof")
            case .signedByAnotherRoot: ("evidence_invalid", "chain_untrusted", "with_proof")
            case .signedByADeveloper: ("evidence_invalid", "missing_apple_marker", "with_proof")
            case .ofAnotherApp: ("wrong_app", nil, "never")
            case .genuine: ("", nil, "")
            }
        }

        var status: String? {
            switch self {
            case .answered0: "0"
            case .answered21006: "21006"
            case .answered21003: "21003"
            case .madeUp, .signedByAnotherRoot, .signedByADeveloper, .ofAnotherApp, .genuine: nil
            }
        }

        func text() throws -> String {
            let authority = try ReceiptAuthority.sample.get()
            let receipt = SimulatedReceipt(["1001"])
            switch self {
            case .madeUp, .answered0, .answered21006, .answered21003: return receipt.unsignedText
            case .genuine: return try receipt.text
            case .ofAnotherApp: return try SimulatedReceipt(["1001"], ofApp: "com.other").text
            case .signedByAnotherRoot:
                let other = try ReceiptAuthority(validFrom: 1_700_000_000_000, validUntil: 1_900_000_000_000)
                return Data(try receipt.signed(by: other)).base64EncodedString()
            case .signedByADeveloper:
                var developer = authority
                var recipe = try ReceiptAuthority.leafRecipe(
                    authority.key.publicKey, 1_700_000_000_000...1_900_000_000_000)
                recipe.remove(.AppleMarker.leaf)
                developer.leaf = try recipe.mint(signedBy: .init(authority.key))
                return Data(try receipt.signed(by: developer)).base64EncodedString()
            }
        }
    }

    private typealias Shop = ReceiptRouteTests.Shop

    /// The purchases 1001 and 1002 of one account, in the Sandbox.
    private static func open(
        _ rule: ClaimRules.Unclaimed, answering kind: Kind, _ body: @Sendable (Shop) async throws -> Void
    ) async throws {
        try await ReceiptRouteTests.open(
            isConfigured: kind.status != nil, rules: ClaimRules(unclaimed: rule),
            rateLimits: RateLimits(restorePerMinute: 0)
        ) { shop in
            shop.apple.add(.init(texts: [try shop.text("1001"), try shop.text("1002")]))
            try await body(shop)
        }
    }

    private static func proof(_ account: String, _ shop: Shop) throws -> String {
        var app = SimulatedAppTransaction(bundleId: Fixture.app.text, at: Fixture.now.milliseconds)
        app.appTransactionId = account
        return try shop.server.authority.sign(app).text
    }

    private static func send(
        _ kind: Kind, as user: String, provenBy proof: String? = nil, _ shop: Shop
    ) async throws -> TestServer.Answer {
        if let status = kind.status {
            shop.desk.say(
                #"{"status":21007}"#,
                #"""
                {"status":\#(status),"receipt":{"bundle_id":"com.example.app","in_app":[{"transaction_id":"1001"}]}}
                """#)
        }
        let account = proof.map { #","signedAppTransaction":"\#($0)""# } ?? ""
        return try await shop.send(#"{"receipt_data":"\#(try kind.text())"\#(account)}"#, as: user)
    }

    /// Restores nothing but what history brings.
    private static func restore(as user: String, _ shop: Shop) async throws {
        let text = try shop.server.authority.sign(Fixture.pass("7")).text
        _ = try await shop.server.send(
            "POST", "/api/iap/apple/restore", #"["\#(text)"]"#, token: Fixture.token(of: user))
    }

    @Test(arguments: ClaimRules.Unclaimed.allCases)
    func `a thief gets nothing by any receipt for which nobody vouches, and the customer everything`(
        under rule: ClaimRules.Unclaimed
    ) async throws {
        for kind in Kind.allCases where !kind.isVouched {
            try await Self.open(rule, answering: kind) { shop in
                let answer = try await Self.send(kind, as: "thief", shop)
                let refusal = kind.refusal
                #expect(answer.status == 422 && answer.code == refusal.code, "\(kind): \(answer.body)")
                #expect(try answer.json["reason"]?.string == refusal.reason, "\(kind): \(answer.body)")
                #expect(try answer.json["retry"]?.string == refusal.retry, "\(kind): \(answer.body)")
                #expect(shop.apple.asked.isEmpty, "\(kind): no id is asked about")
                #expect(try await shop.count("lookups") == 0)
                #expect(try await shop.count("jobs") == 0)
                #expect(try await shop.count("users WHERE user_id = 'thief'") == 0, "\(kind): nothing is kept")
                try await Self.restore(as: "thief", shop)
                #expect(
                    try await shop.purchases(of: "thief") == (rule == .any ? ["7"] : []), "its own, as the setting says"
                )
                let account = try Self.proof("704897469903383919", shop)
                let customer = try await shop.send(
                    #"{"receipt_data":"\#(try Kind.genuine.text())","signedAppTransaction":"\#(account)"}"#, as: "u1")
                #expect(customer.status == 200, "\(customer.body)")
                #expect(try await shop.purchases() == ["1001", "1002"], "\(kind), \(rule)")
            }
        }
    }

    @Test(arguments: ClaimRules.Unclaimed.allCases)
    func `a receipt for which Apple vouches claims by the setting`(under rule: ClaimRules.Unclaimed) async throws {
        for kind in Kind.allCases where kind.isVouched {
            try await Self.open(rule, answering: kind) { shop in
                let answer = try await Self.send(kind, as: "u1", shop)
                #expect(answer.status == 200, "\(kind): \(answer.body)")
                let outcomes = ReceiptRouteTests.outcomes(try answer.json)
                #expect(outcomes == (rule == .any ? ["1001 attached"] : [" refused"]), "\(kind), \(rule)")
                #expect(try await shop.purchases() == (rule == .any ? ["1001", "1002"] : []))
                #expect(!shop.apple.environments.contains(.production), "ids of the Sandbox are asked about there")
            }
        }
    }

    @Test(arguments: ClaimRules.Unclaimed.allCases)
    func `a job claims what the receipt may claim, and no more`(under rule: ClaimRules.Unclaimed) async throws {
        try await Self.open(rule, answering: .genuine) { shop in
            shop.apple.fail(.unreachable("away"))
            #expect(try await Self.send(.madeUp, as: "thief", shop).status == 422)
            #expect(try await shop.count("jobs") == 0)
            #expect(try await Self.send(.genuine, as: "u1", shop).json["history"]?.string == "pending")
            try await shop.server.api.history?.lookUp(for: shop.person())
            #expect(try await shop.purchases() == (rule == .any ? ["1001"] : []))
        }
    }

    @Test(arguments: ClaimRules.Unclaimed.allCases)
    func `with the proof a receipt for which nobody vouches claims what that account bought, and nothing else`(
        under rule: ClaimRules.Unclaimed
    ) async throws {
        for kind in [Kind.madeUp, .signedByAnotherRoot, .signedByADeveloper, .answered21003] {
            try await Self.open(rule, answering: kind) { shop in
                let own = try Self.proof("1", shop)
                let stolen = try await Self.send(kind, as: "thief", provenBy: own, shop)
                #expect(stolen.status == 200, "\(kind): \(stolen.body)")
                #expect(ReceiptRouteTests.outcomes(try stolen.json).isEmpty && !stolen.body.contains("1001"))
                #expect(try await shop.purchases(of: "thief").isEmpty)
                #expect(try await shop.count("purchases") == 0, "what is not the account's leaves no row")
                let proof = try Self.proof("704897469903383919", shop)
                let answer = try await Self.send(kind, as: "u1", provenBy: proof, shop)
                #expect(ReceiptRouteTests.outcomes(try answer.json) == ["1001 attached"], "\(kind): \(answer.body)")
                #expect(try await shop.purchases() == ["1001", "1002"])
            }
        }
    }

    @Test func `a proof of another app or environment, or one that is not genuine, is none`() async throws {
        try await Self.open(.any, answering: .madeUp) { shop in
            var app = SimulatedAppTransaction(bundleId: Fixture.app.text, at: Fixture.now.milliseconds)
            app.appTransactionId = "704897469903383919"
            app.environment = .production
            app.appAppleId = 1
            let production = try shop.server.authority.sign(app).text
            for proof in [production, String(try Self.proof("704897469903383919", shop).dropLast(4)) + "AAAA"] {
                let answer = try await Self.send(.madeUp, as: "u1", provenBy: proof, shop)
                #expect(answer.status == 422 && answer.code == "evidence_invalid", "\(answer.body)")
                #expect(try answer.json["retry"]?.string == "never")
            }
            #expect(shop.apple.asked.isEmpty)
            #expect(try await shop.count("lookups") == 0)
        }
    }

    @Test func `a job claims of such a receipt with its proof, for an hour`() async throws {
        for (wait, purchases) in [(Int64(0), ["1001"]), (61 * 60_000, [])] {
            try await Self.open(.proof, answering: .madeUp) { shop in
                shop.apple.fail(.unreachable("away"))
                let proof = try Self.proof("704897469903383919", shop)
                let answer = try await Self.send(.madeUp, as: "u1", provenBy: proof, shop)
                #expect(try answer.json["history"]?.string == "pending", "\(answer.body)")
                shop.server.clock.now = shop.server.clock.now + wait
                try await shop.server.api.history?.lookUp(for: shop.person())
                #expect(try await shop.purchases() == purchases)
                #expect(try await shop.count("jobs WHERE kind = 'lookup'") == 0)
            }
        }
    }

    /// The text of a purchase of an hour ago.
    private static func fresh(_ id: String, _ shop: ReceiptRouteTests.Shop) throws -> (id: String, text: String) {
        var fresh = Fixture.pass(id)
        fresh.purchaseDate = Fixture.now.milliseconds - 3_600_000
        fresh.originalPurchaseDate = fresh.purchaseDate
        fresh.signedDate = fresh.purchaseDate
        fresh.appTransactionId = "704897469903383919"
        return (id: id, text: try shop.server.authority.sign(fresh).text)
    }

    @Test func `a fresh receipt claims all of its account, however late Apple answers`() async throws {
        for isFresh in [true, false] {
            try await ReceiptRouteTests.open(rules: ClaimRules(unclaimed: .fresh24h)) { shop in
                shop.apple.add(.init(texts: [try shop.text("1001"), try Self.fresh("1003", shop)]))
                shop.apple.fail(.unreachable("away"), .unreachable("away"))
                var receipt = SimulatedReceipt(["1001", "1003"])
                if isFresh { receipt.createdAt = Fixture.now.milliseconds }
                #expect(try await shop.show(receipt)["history"]?.string == "pending")
                try await shop.server.api.history?.lookUp(for: shop.person())
                #expect(try await shop.purchases() == (isFresh ? ["1001", "1003"] : ["1003"]))
            }
        }
    }

    @Test func `a fresh receipt is asked about though an older one was a minute ago`() async throws {
        try await ReceiptRouteTests.open(rules: ClaimRules(unclaimed: .fresh24h)) { shop in
            shop.apple.add(.init(texts: [try shop.text("1001"), try Self.fresh("1003", shop)]))
            var receipt = SimulatedReceipt(["1001", "1003"])
            #expect(Set(ReceiptRouteTests.outcomes(try await shop.show(receipt))) == ["1003 attached", " refused"])
            receipt.createdAt = Fixture.now.milliseconds
            let again = ReceiptRouteTests.outcomes(try await shop.show(receipt))
            #expect(Set(again) == ["1001 attached", "1003 already_attached"])
        }
    }

    @Test func `a receipt with a fresh purchase claims all of its account, and nothing of another's`() async throws {
        try await ReceiptRouteTests.open(rules: ClaimRules(unclaimed: .fresh24h)) { shop in
            let text = try Self.fresh("1003", shop)
            shop.apple.add(.init(texts: [try shop.text("1001"), text]))
            shop.apple.add(.init(texts: [try shop.text("1002", account: "9")]))
            var receipt = SimulatedReceipt(["1001", "1002", "1003"])
            #expect(
                Set(ReceiptRouteTests.outcomes(try await shop.show(receipt, as: "thief"))) == [
                    "1003 attached", " refused",
                ],
                "an old receipt shows nothing new")
            receipt.createdAt = Fixture.now.milliseconds
            let answer = try await shop.show(receipt)
            #expect(Set(ReceiptRouteTests.outcomes(answer)) == ["1001 attached", " refused"])
        }
    }

    @Test func `while verifyReceipt is away a receipt waits, unless its sender proves the account`() async throws {
        for answer in ["", #"{"status":21005}"#, "no JSON"] {
            try await ReceiptRouteTests.open { shop in
                shop.apple.add(.init(texts: [try shop.text("1001")]))
                shop.desk.say(answer, answer)
                let waiting = try await Self.send(.madeUp, as: "u1", shop)
                #expect(waiting.status == 503, "\(waiting.body)")
                let proof = try Self.proof("704897469903383919", shop)
                let proven = try await Self.send(.madeUp, as: "u1", provenBy: proof, shop)
                #expect(ReceiptRouteTests.outcomes(try proven.json) == ["1001 attached"], "\(proven.body)")
            }
        }
    }

    @Test func `a number of one environment vouches for nothing in the other`() async throws {
        try await ReceiptRouteTests.open { shop in
            shop.apple.add(.init(texts: [try shop.text("1001", account: "1")]))
            let victims = try ["1001", "2002"].map { try shop.text($0, account: "7", in: .production) }
            shop.apple.add(.init(environment: .production, texts: victims))
            shop.apple.fail(.unreachable("away"))
            #expect(try await shop.show(SimulatedReceipt(["1001"]), as: "thief")["history"]?.string == "pending")
            var app = SimulatedAppTransaction(bundleId: Fixture.app.text, at: Fixture.now.milliseconds)
            (app.appTransactionId, app.environment, app.appAppleId) = ("1", .production, 1)
            var made = SimulatedReceipt(["2002"])
            made.type = "Production"
            let proof = try shop.server.authority.sign(app).text
            let body = #"{"receipt_data":"\#(made.unsignedText)","signedAppTransaction":"\#(proof)"}"#
            shop.desk.say(#"{"status":21003}"#)
            #expect(try await shop.send(body, as: "thief").json["history"]?.string == "pending")
            try await shop.server.api.history?.lookUp(for: shop.person())
            #expect(try await shop.purchases(of: "thief") == ["1001"])
            #expect(try await shop.count("purchases WHERE environment = 'Production'") == 0)
        }
    }

    @Test func `a hint of version 1 gives nobody what no token names, and asks about no receipt`() async throws {
        for rule in ClaimRules.Unclaimed.allCases {
            try await Self.open(rule, answering: .answered0) { shop in
                let body = #"""
                    {"notification_type":"REFUND","password":"shared","bid":"com.example.app",
                     "unified_receipt":{"latest_receipt":"\#(try Kind.madeUp.text())",
                      "latest_receipt_info":[{"original_transaction_id":"1001"}]}}
                    """#
                #expect(
                    try await shop.server.send("POST", "/api/billing/webhooks/apple", body, token: nil).status == 200)
                try await shop.server.api.history?.lookUp(for: Lookups.nobody)
                #expect(try await shop.count("purchases WHERE external_id = '1001' AND user_id IS NULL") == 1)
                #expect(shop.desk.asked.isEmpty)
            }
        }
    }

    @Test func `beyond fifty ids of a day that Apple does not know nothing is asked until midnight`() async throws {
        try await ReceiptRouteTests.open(rateLimits: RateLimits(restorePerMinute: 0)) { shop in
            shop.server.clock.now = shop.server.clock.now.startOfDay + 3_600_000
            func receipt(_ number: Int) -> SimulatedReceipt {
                SimulatedReceipt((0..<6).map { String(5_000 + 10 * number + $0) })
            }
            for number in 0..<10 {
                #expect(try await shop.show(receipt(number))["history"]?.string == "complete")
                shop.server.clock.now = shop.server.clock.now + Lookups.pause
            }
            #expect(shop.apple.asked.count == 50)
            let asked = shop.desk.asked.count
            let madeUp = try await Self.send(.madeUp, as: "u1", shop)
            #expect(madeUp.status == 429 && shop.desk.asked.count == asked, "nor is verifyReceipt asked")
            let refused = try await shop.send(#"{"receipt_data":"\#(try receipt(10).text)"}"#)
            #expect(refused.status == 429 && refused.code == "rate_limited", "\(refused.body)")
            let rest = 23 * 3_600 - 10 * 600
            #expect(refused.headers.first(name: "Retry-After") == String(rest))
            #expect(shop.apple.asked.count == 50)
            #expect(shop.server.log.lines.count { $0.contains("Apple does not know the purchases") } == 1)
            let other = try await shop.send(#"{"receipt_data":"\#(try receipt(10).text)"}"#, as: "u2")
            #expect(other.status == 200, "another user is asked for")
            shop.server.clock.now = shop.server.clock.now + Int64(rest) * 1_000
            #expect(try await shop.show(receipt(11))["history"]?.string == "complete")
            let rows = "lookups l JOIN users u ON u.pseudonym = l.user_id WHERE u.user_id = 'u1' AND l.is_unknown"
            #expect(try await shop.count(rows) == 5, "yesterday's are swept")
        }
    }
}
