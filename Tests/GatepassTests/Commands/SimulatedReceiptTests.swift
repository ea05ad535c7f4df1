import AppStore
import EntitlementAPI
import Entitlements
import Foundation
import Logging
import StoreSimulator
import StrictJSON
import Support
import Testing

@testable import Gatepass

/// The simulated verifyReceipt answers in Apple's shapes, and as our reader of them expects (`apple.md` §9.2).
struct SimulatedReceiptTests {
    private static let day: Int64 = 86_400_000

    /// The simulated store, asked as a server asks verifyReceipt.
    private struct Asked: ReceiptServer {
        let store: SimulatedStore
        let secret: String

        func verify(
            _ receipt: String, in environment: StoreEnvironment
        ) async throws(AppStoreServerFailure) -> [UInt8] {
            do {
                let body = try JSONSerialization.data(withJSONObject: ["receipt-data": receipt, "password": secret])
                return try await store.receipt(Array(body), in: environment).body
            } catch {
                throw .unreachable("\(error)")
            }
        }
    }

    private let installation = Installation(path: "/tmp/gatepass-receipts-\(UInt32.random(in: .min ... .max))")

    /// A store that sold a pass and credits in the Sandbox to one account, a pass in Production to another, and a plan
    /// with a trial and a renewal that has ended.
    private func open(_ body: (SimulatedStore, String) async throws -> Void) async throws {
        defer { try? FileManager.default.removeItem(at: installation.directory) }  // it is under /tmp
        for (id, user, type, environment) in [
            ("1001", "anna", ProductType.nonRenewingSubscription, "Sandbox"),
            ("1002", "anna", .consumable, "Sandbox"), ("1003", "ben", .nonRenewingSubscription, "Production"),
            ("1004", "cleo", .nonRenewingSubscription, "Sandbox"),
        ] {
            var sold = SoldPurchase(
                transactionID: id, user: user, product: "p" + id, type: type.rawValue, bundleID: "app",
                purchasedAt: 1_594_755_400_000, quantity: 1, environment: environment, appleAccount: nil,
                accountToken: nil, signedAt: 1_594_755_400_000, delivered: true)
            if id == "1004" { sold.revocation = .init(date: 1_594_755_500_000, percentage: 100_000) }
            try sold.keep(in: installation)
        }
        let start: Int64 = 1_594_755_400_000
        var (plan, _) = SimulatedSubscription.begin(
            .init("annual.3", as: "2001", until: start + 7 * Self.day, offer: .freeTrial(of: "P1W")),
            by: .init(
                bundleId: "app", subscriptionGroup: "g", appTransactionId: SoldPurchase.appTransactionID(of: "anna")),
            at: start)
        _ = try plan.renew(as: "2002", until: start + 37 * Self.day, at: start + 7 * Self.day)
        try KeptSubscription(user: "anna", days: nil, subscription: plan).keep(in: installation)
        let catalogue = Catalogue(
            apps: [.init(id: AppID("app"), appleID: 42)], tiers: [], products: [])
        let store = SimulatedStore(
            installation, selling: catalogue, by: installation.clock,
            logger: Logger(label: "store") { _ in SwiftLogNoOpLogHandler() })
        try await body(store, try installation.receiptSecret())
    }

    private func answer(
        _ store: SimulatedStore, _ receipt: String, in environment: StoreEnvironment = .sandbox, secret: String? = nil,
        excluding: Bool = false
    ) async throws -> JSONValue {
        let secret = try secret ?? installation.receiptSecret()
        let body = #"{"receipt-data":"\#(receipt)","password":"\#(secret)","exclude-old-transactions":\#(excluding)}"#
        let answer = try await store.receipt(Array(body.utf8), in: environment)
        #expect(answer.status == 200)
        return JSONValue(try StrictJSON(answer.body, boundsNames: false))
    }

    private func receipt(of id: String, in store: SimulatedStore) async throws -> String {
        let sold = try #require(try await store.sold().first { $0.transactionId == id })
        return try SimulatedReceiptAnswer.transactionReceipt(of: sold, signedBy: installation.receiptAuthority())
    }

    /// An app receipt that the installation's authority signed.
    private func signed(_ ids: [String], ofApp app: String, type: String = "ProductionSandbox") throws -> String {
        var receipt = SimulatedReceipt(ids, ofApp: app)
        receipt.type = type
        return Data(try receipt.signed(by: installation.receiptAuthority())).base64EncodedString()
    }

    @Test func `an app receipt lists what its account has, plans apart, in texts`() async throws {
        try await open { store, _ in
            let receipt = try signed(["1001"], ofApp: "app")
            let answer = try await answer(store, receipt)
            #expect(answer["status"]?.integer == "0" && answer["environment"]?.string == "Sandbox")
            #expect(answer["receipt"]?["bundle_id"]?.string == "app")
            #expect(answer["receipt"]?["app_item_id"]?.integer == "0", "the Sandbox knows no number")
            let ids = { (list: JSONValue?) in (list?.elements ?? []).map { $0["transaction_id"]?.string ?? "" } }
            #expect(Set(ids(answer["receipt"]?["in_app"])) == ["1001", "2001", "2002"], "consumables are finished")
            #expect(ids(answer["latest_receipt_info"]) == ["2002", "2001"], "the newest first")
            #expect(answer["latest_receipt"]?.string == receipt)
            let pass = answer["receipt"]?["in_app"]?.elements?.first { $0["transaction_id"]?.string == "1001" }
            #expect(pass?["quantity"]?.string == "1" && pass?["expires_date_ms"] == nil)
            #expect(pass?["purchase_date"]?.string == "2020-07-14 19:36:40 Etc/GMT")
            #expect(pass?["purchase_date_ms"]?.string == "1594755400000")
            #expect(pass?["purchase_date_pst"]?.string == "2020-07-14 12:36:40 America/Los_Angeles")
            let trial = answer["latest_receipt_info"]?.elements?.last
            #expect(trial?["is_trial_period"]?.string == "true" && trial?["is_in_intro_offer_period"]?.string == "true")
            #expect(trial?["original_transaction_id"]?.string == "2001")
            let renewal = answer["latest_receipt_info"]?.elements?.first
            #expect(renewal?["is_trial_period"]?.string == "false")
            #expect(renewal?["original_transaction_id"]?.string == "2001")
            let pending = answer["pending_renewal_info"]?.elements
            #expect(pending?.count == 1 && pending?.first?["auto_renew_status"]?.string == "1")
            let short = try await self.answer(store, receipt, excluding: true)
            #expect(ids(short["latest_receipt_info"]) == ["2002"])
        }
    }

    @Test func `without plans there are no members about them, and a refund has its date`() async throws {
        try await open { store, _ in
            let answer = try await answer(store, try signed(["1004"], ofApp: "app"))
            for member in ["latest_receipt", "latest_receipt_info", "pending_renewal_info"] {
                #expect(answer[member] == nil, "\(member)")
            }
            let pass = answer["receipt"]?["in_app"]?.elements?.first
            #expect(pass?["cancellation_date_ms"]?.string == "1594755500000")
            #expect(pass?["cancellation_reason"]?.string == "0")
        }
    }

    @Test func `each refusal has Apple's number, and either environment sends one to the other`() async throws {
        try await open { store, secret in
            let (sandbox, production) = (
                try signed(["1001"], ofApp: "app"), try signed(["1003"], ofApp: "app", type: "Production")
            )
            for (receipt, environment, secret, status) in [
                (sandbox, .sandbox, secret, "0"), (sandbox, .production, secret, "21007"),
                (production, .production, secret, "0"), (production, .sandbox, secret, "21008"),
                (sandbox, .sandbox, "another", "21004"), ("!", .sandbox, secret, "21002"),
                (try signed(["9999"], ofApp: "app"), .sandbox, secret, "0"),
                (SimulatedReceipt(["1001"], ofApp: "app").unsignedText, .sandbox, secret, "21003"),
                (try SimulatedReceipt(["1001"], ofApp: "app").text, .sandbox, secret, "21003"),
                (try SimulatedReceiptAnswer.made(of: "1001"), .sandbox, secret, "21003"),
                (try signed([], ofApp: "app"), .sandbox, secret, "0"),
                (try signed([], ofApp: "app"), .production, secret, "21007"),
            ] as [(String, StoreEnvironment, String, String)] {
                let answer = try await answer(store, receipt, in: environment, secret: secret)
                #expect(answer["status"]?.integer == status, "\(environment) \(status)")
            }
            for body in ["", "[]", "{}"] {
                let answer = try await store.receipt(Array(body.utf8), in: .sandbox)
                #expect(String(decoding: answer.body, as: UTF8.self) == #"{"status":21002}"#, "\(body)")
            }
            let number = try await answer(store, production, in: .production)["receipt"]?["app_item_id"]?.integer
            #expect(number == "42")
        }
    }

    @Test func `a receipt of iOS 6 has one object in place of each list, and an ended plan a number of its own`()
        async throws
    {
        try await open { store, _ in
            let pass = try await answer(store, try await receipt(of: "1002", in: store))
            #expect(pass["status"]?.integer == "0" && pass["receipt"]?["bid"]?.string == "app")
            #expect(pass["receipt"]?["transaction_id"]?.string == "1002" && pass["latest_receipt_info"] == nil)
            let plan = try await answer(store, try await receipt(of: "2001", in: store))
            #expect(plan["status"]?.integer == "21006" && plan["latest_receipt_info"] == nil)
            #expect(plan["latest_expired_receipt_info"]?["transaction_id"]?.string == "2002")
            #expect(plan["receipt"]?["original_transaction_id"]?.string == "2001")
        }
    }

    @Test func `our own reader finds the ids in both shapes, whichever environment has them`() async throws {
        try await open { store, secret in
            let asked = Asked(store: store, secret: secret)
            for (receipt, ids, number) in [
                (try signed(["1001"], ofApp: "app"), ["2001", "1001"], nil),
                (try signed(["1003"], ofApp: "app", type: "Production"), ["1003"], 42),
                (try await receipt(of: "1002", in: store), ["1002"], nil),
                (try await receipt(of: "2002", in: store), ["2001"], nil),
            ] as [(String, [String], Int64?)] {
                let answer = try await ReceiptAnswer(asking: asked, about: receipt)
                #expect(answer.bundleID == "app" && answer.purchases == ids && answer.appItemID == number)
            }
            await #expect(throws: ReceiptAnswer.Failure.secretNotAccepted) {
                try await ReceiptAnswer(
                    asking: Asked(store: store, secret: "x"), about: try signed(["1001"], ofApp: "app"))
            }
        }
    }
}

extension SimulatedReceiptAnswer {
    /// A transaction receipt of iOS 6 about a transaction, signed by another authority than the installation's.
    fileprivate static func made(of id: String) throws -> String {
        let sold = SimulatedTransaction(
            id, of: "p" + id, type: .nonRenewingSubscription, bundleId: "app", at: 1_594_755_400_000)
        return try transactionReceipt(of: sold, signedBy: ReceiptAuthority.sample.get())
    }
}
