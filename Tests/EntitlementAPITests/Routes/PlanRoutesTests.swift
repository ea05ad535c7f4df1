import AppStore
import Entitlements
import StrictJSON
import Support
import Synchronization
import Testing

@testable import EntitlementAPI

/// What is told of auto-renewing plans over HTTP (`api.md`, "Status", "Check").
struct PlanRoutesTests {
    private static let status = "/api/iap/apple/status"
    private static let check = "/api/billing/subscriptions/check/u1"
    private static let hour = Instant.millisecondsPerHour
    private static let endsAt = Fixture.now + 24 * hour

    private static func key(_ id: String) -> PurchaseKey {
        PurchaseKey(source: .appleIAP, app: Fixture.app, environment: .production, externalID: ExternalID(id))
    }

    /// A user with a plan of one day from the fixture's instant on, and what the store says of its renewal.
    private static func sell(_ server: TestServer, offer: String? = nil) async throws {
        let user = try Fixture.user()
        let period = VerifiedPurchase(
            key: key("w"), transactionID: TransactionID("w"), periodID: "1", productID: ProductID("annual3"),
            type: .plan, purchasedAt: Fixture.now, expiresAt: endsAt, offer: offer,
            price: Price(milliunits: 0, currency: "EUR"), signedAt: Fixture.now)
        try await server.open.sell(period, to: user)
    }

    private static func tell(
        _ server: TestServer, _ willRenew: Bool = true, as product: String? = nil, graceEndsAt: Instant? = nil,
        isInRetry: Bool = false, end: RenewalEnd? = nil, consent: VerifiedRenewal.PriceConsent? = nil,
        after hours: Int64
    ) async throws {
        let renewal = VerifiedRenewal(
            key: key("w"), signedAt: Fixture.now + hours * hour, willRenew: willRenew,
            renewsInto: product.map { ProductID($0) }, graceEndsAt: graceEndsAt, isInRetry: isInRetry, end: end,
            priceConsent: consent)
        try await server.open.tell(renewal)
    }

    /// What both answers say of the plan, one after the other.
    private static func answers(_ server: TestServer) async throws -> [String] {
        let status = try await server.send("GET", status).body
        let check = try await server.send("GET", check).body
        return [status, check].map { body in
            guard let start = body.firstRange(of: #""renews_as""#)?.lowerBound else { return "" }
            return String(body[start...].prefix { $0 != "}" })
        }
    }

    @Test func `status and check say the same of a plan`() async throws {
        try await TestServer.run { server in
            try await Self.sell(server, offer: "introductory")
            let unsaid =
                #""renews_as":"annual3","grace_ends_at":null,"grace_ends_at_ms":null,"#
                + #""is_in_billing_retry":false,"expiration_reason":null,"price_consent":null,"#
                + #""offer":"introductory","is_trial":true"#
            #expect(try await Self.answers(server) == [unsaid, unsaid])
            try await Self.tell(server, as: "annual9", consent: .given, after: 1)
            let said = unsaid.replacing("annual3", with: "annual9")
                .replacing(#""price_consent":null"#, with: #""price_consent":"agreed""#)
            #expect(try await Self.answers(server) == [said, said])
        }
    }

    @Test func `a plan lives through renewal off, grace, retry and its end`() async throws {
        try await TestServer.run { server in
            try await Self.sell(server)
            try await Self.tell(server, false, after: 1)
            try await Self.expect(server, "ACTIVE", willRenew: false, [:])
            try await Self.tell(server, consent: .pending, after: 2)
            try await Self.expect(
                server, "ACTIVE", willRenew: true, ["renews_as": "annual3", "price_consent": "pending"])
            server.wait(hours: 24)
            try await Self.expect(
                server, "GRACE", willRenew: true, ["renews_as": "annual3", "price_consent": "pending"])
            try await Self.tell(server, graceEndsAt: Self.endsAt + 6 * Self.hour, isInRetry: true, after: 24)
            let grace = ["renews_as": "annual3", "grace_ends_at": "2026-01-16T18:00:00Z"]
            try await Self.expect(server, "GRACE", willRenew: true, grace, isInRetry: true)
            server.wait(hours: 6)
            try await Self.expect(server, "EXPIRED", willRenew: true, grace, isInRetry: true)
            try await Self.tell(server, false, end: .billing, after: 30)
            try await Self.expect(server, "EXPIRED", willRenew: false, ["expiration_reason": "billing_error"])
        }
    }

    /// Requires that status and check say `texts` of the plan, and of nothing else anything.
    private static func expect(
        _ server: TestServer, _ state: String, willRenew: Bool, _ texts: [String: String], isInRetry: Bool = false,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let status = try await server.send("GET", status).json
        let check = try await server.send("GET", check).json
        #expect(check["status"]?.string == state, sourceLocation: sourceLocation)
        for (name, json) in [("status", status["entitlements"]?.elements?.first), ("check", check)] {
            for member in ["renews_as", "grace_ends_at", "expiration_reason", "price_consent", "offer"] {
                #expect(json?[member]?.string == texts[member], "\(name), \(member)", sourceLocation: sourceLocation)
                #expect(
                    json?[member]?.isNull == (texts[member] == nil), "\(name), \(member)",
                    sourceLocation: sourceLocation)
            }
            #expect(json?["will_renew"]?.flag == willRenew, "\(name)", sourceLocation: sourceLocation)
            #expect(json?["is_in_billing_retry"]?.flag == isInRetry, "\(name)", sourceLocation: sourceLocation)
            #expect(json?["is_trial"]?.flag == false, "\(name)", sourceLocation: sourceLocation)
        }
    }

    @Test func `what no store renews says nothing of it, and the seven members stay first`() async throws {
        try await TestServer.run { server in
            try await server.sell("pass.30d", as: "p1", .pass)
            try await server.grant(.addDays(30, of: TierID("pro")), as: "g1")
            let pass = try await server.send("GET", Self.check).body
            #expect(!pass.contains("renews_as") && !pass.contains("will_renew"))
            let status = try await server.send("GET", Self.status).body
            #expect(!status.contains("renews_as") && status.contains("will_renew"))
        }
        try await TestServer.run { server in
            try await Self.sell(server)
            let plan = try await server.send("GET", Self.check).body
            let seven =
                #"{"is_subscribed":true,"has_active_subscription":true,"status":"ACTIVE","provider":"apple","#
                + #""plan_id":"annual_3","devices":3,"expires_at":"2026-01-16T12:00:00Z","#
            #expect(plan.hasPrefix(seven))
        }
    }
}
