import AppStore
import Dispatch
import Entitlements
import Foundation
import Logging
import StoreSimulator
import StrictJSON
import Support
import Testing

@testable import EntitlementAPI
@testable import Gatepass

/// The simulated App Store refuses what Apple refuses, and keeps what it takes (`apple.md` §10.3, §10.5).
struct SimulatedAnswersTests {
    private static let token = "0f3b8c9e-5f6d-4a7b-8c9d-0e1f2a3b4c5d"

    /// A store that sold the lot 1001, the lot 1002 that a family shares, and the plan 2001 with its period 2002.
    private static func open(_ body: (SimulatedStore, Installation) async throws -> Void) async throws {
        let installation = Installation(path: "/tmp/gatepass-told-\(UInt32.random(in: .min ... .max))")
        defer { try? FileManager.default.removeItem(at: installation.directory) }  // it is under /tmp
        for (id, isShared) in [("1001", nil), ("1002", true)] as [(String, Bool?)] {
            try SoldPurchase(
                transactionID: id, user: "anna", product: "credits.100", type: ProductType.consumable.rawValue,
                bundleID: "app", purchasedAt: 1_000, quantity: 1, environment: "Sandbox", appleAccount: nil,
                accountToken: nil, signedAt: 1_000, delivered: true, isFamilyMember: isShared
            ).keep(in: installation)
        }
        var (plan, _) = SimulatedSubscription.begin(
            .init("annual.3", as: "2001", until: 2_000), by: .init(bundleId: "app", subscriptionGroup: "g"), at: 1_000)
        _ = try plan.renew(as: "2002", until: 3_000, at: 2_000)
        try KeptSubscription(user: "anna", days: nil, subscription: plan).keep(in: installation)
        let catalogue = Catalogue(apps: [], tiers: [], products: [])
        try await body(
            SimulatedStore(
                installation, selling: catalogue, by: installation.clock,
                logger: Logger(label: "store") { _ in SwiftLogNoOpLogHandler() }), installation)
    }

    private static func said(_ answer: SimulatedAnswer) throws -> String {
        guard !answer.body.isEmpty else { return "\(answer.status)" }
        let code = try JSONValue(StrictJSON(answer.body, boundsNames: false))["errorCode"]?.integer
        return "\(answer.status) \(code ?? "without a code")"
    }

    @Test func `an answer about consumption is taken within Apple's rules, and is kept`() async throws {
        let good = #""customerConsented":true,"sampleContentProvided":false"#
        let delivered = good + #","deliveryStatus":"DELIVERED""#
        let cases: [(String, String, String)] = [
            ("1001", "{\(delivered)}", "202"),
            ("1001", #"{\#(delivered),"consumptionPercentage":70000,"refundPreference":"GRANT_PRORATED"}"#, "202"),
            ("2002", #"{\#(delivered),"refundPreference":"GRANT_PRORATED"}"#, "202"),
            ("1001", #"{\#(good),"deliveryStatus":"UNDELIVERED_OTHER","consumptionPercentage":0}"#, "202"),
            ("9999", "{\(delivered)}", "404 4040010"),
            ("1001", "[]", "400 4000000"), ("1001", "no JSON", "400 4000000"),
            ("1001", #"{"customerConsented":false,"sampleContentProvided":true}"#, "400 4000035"),
            ("1001", #"{"sampleContentProvided":true,"deliveryStatus":"DELIVERED"}"#, "400 4000035"),
            ("1001", #"{"customerConsented":true,"deliveryStatus":"DELIVERED"}"#, "400 4000041"),
            ("1001", "{\(good)}", "400 4000036"), ("1001", #"{\#(good),"deliveryStatus":"LOST"}"#, "400 4000036"),
            ("1001", #"{\#(delivered),"refundPreference":"MAYBE"}"#, "400 4000044"),
            ("1001", #"{\#(delivered),"refundPreference":"GRANT_PRORATED"}"#, "400 4000044"),
            (
                "1001", #"{\#(delivered),"consumptionPercentage":100000,"refundPreference":"GRANT_PRORATED"}"#,
                "400 4000044"
            ),
            ("1001", #"{\#(delivered),"consumptionPercentage":100001}"#, "400 4000000"),
            ("1001", #"{\#(delivered),"consumptionPercentage":-1}"#, "400 4000000"),
            ("1001", #"{\#(good),"deliveryStatus":"UNDELIVERED_OTHER","consumptionPercentage":1}"#, "400 4000000"),
            (
                "2002", #"{\#(delivered),"consumptionPercentage":1,"refundPreference":"GRANT_PRORATED"}"#,
                "400 4000209"
            ),
        ]
        try await Self.open { store, installation in
            for (transaction, body, said) in cases {
                let answer = try await store.take(
                    consumption: Array(body.utf8), of: transaction, in: try store.sold())
                #expect(try Self.said(answer) == said, "\(transaction) \(body)")
            }
            let told = try ToldText.all(about: "1001", in: installation).map(\.body)
            #expect(Set(told) == Set(cases.filter { $0.0 == "1001" && $0.2 == "202" }.map(\.1)))
        }
    }

    @Test func `a token that is set stands in later texts, and Apple's refusals have their codes`() async throws {
        try await Self.open { store, installation in
            let good = #"{"appAccountToken":"\#(Self.token)"}"#
            for (transaction, body, said) in [
                ("1001", #"{"appAccountToken":"no-uuid"}"#, "400 4000183"), ("1001", "{}", "400 4000183"),
                ("9999", good, "404 4040010"), ("1002", good, "400 4000185"), ("2002", good, "400 4000187"),
                ("1001", good, "200"), ("1001", good, "200"), ("2001", good, "200"),
            ] {
                let answer = try await store.take(
                    accountToken: Array(body.utf8), of: transaction, in: try store.sold())
                #expect(try Self.said(answer) == said, "\(transaction) \(body)")
            }
            let sold = try #require(try SoldPurchase.find("1001", of: "anna", in: installation))
            #expect(sold.transaction.appAccountToken == Self.token && sold.transaction.signedDate > 1_000)
            let kept = try #require(try KeptSubscription.find("2001", of: "anna", in: installation)).subscription
            let later = kept.transaction(of: kept.newest, signedAt: kept.signedAt)
            #expect(later.appAccountToken == Self.token && later.transactionId == "2002")
            let other = try #require(try SoldPurchase.find("1002", of: "anna", in: installation))
            #expect(other.transaction.appAccountToken == nil)
        }
    }

    @Test func `a test notification is told of once the server has answered, and not while it is posted`()
        async throws
    {
        let mayAnswer = DispatchSemaphore(value: 0)
        let receiver = try StoreReceiver { _, _ in
            mayAnswer.wait()
            return .init(200, "{}")
        }
        defer { receiver.stop() }
        defer { mayAnswer.signal() }
        try await Self.open { store, installation in
            try installation.announce(["address": "http://127.0.0.1:\(receiver.port)"])
            let token = try await installation.appStoreToken(of: "app")
            func ask(_ method: String, _ path: [String]) async throws -> SimulatedAnswer {
                try await store.answer(
                    to: SimulatedQuestion(
                        method: method, path: ["inApps", "v1", "notifications", "test"] + path, environment: .sandbox,
                        revision: nil, paginationToken: nil, body: [], token: token))
            }
            let sent = try JSONValue(StrictJSON(try await ask("POST", []).body, boundsNames: false))
            let test = try #require(sent["testNotificationToken"]?.string)
            async let pass = store.advance(by: 0, within: .seconds(60))
            while receiver.requests.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
            let early = try await ask("GET", [test])
            mayAnswer.signal()
            _ = try await pass
            #expect(try Self.said(early) == "404 4040008")
            let told = try JSONValue(StrictJSON(try await ask("GET", [test]).body, boundsNames: false))
            let attempts = told["sendAttempts"]?.elements ?? []
            #expect(attempts.map { $0["sendAttemptResult"]?.string } == ["SUCCESS"])
        }
    }
}
