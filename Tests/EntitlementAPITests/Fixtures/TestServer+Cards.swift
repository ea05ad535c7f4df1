import Entitlements
import LedgerStore
import StoreSimulator
import StrictJSON
import Support
import Testing

@testable import EntitlementAPI

/// A shop that sells by card.
extension TestServer {
    /// The catalogue of the fixture, with a pass and a plan that are sold by card.
    static let catalogueOfCards: CatalogueVersions = {
        let plain = Fixture.catalogue(of: [Fixture.app])
        let cards = [
            Product(
                id: ProductID("card.pass"), app: Fixture.app, terms: .pass(tier: TierID("pro"), days: 30),
                cardNames: [ProductID("plink_pass")]),
            Product(
                id: ProductID("card.month"), app: Fixture.app,
                terms: .plan(tier: TierID("pro"), planID: "monthly_2", familyShareable: false),
                cardNames: [ProductID("price_pro")]),
        ]
        let catalogue = Catalogue(
            apps: plain.apps, defaultTier: plain.defaultTier, tiers: plain.tiers, products: plain.products + cards)
        return CatalogueVersions(
            first: CatalogueVersions.Version(number: 3, effectiveAt: .distantPast, catalogue: catalogue))
    }()

    static func runWithCards(_ body: @Sendable (TestServer) async throws -> Void) async throws {
        try await run(catalogue: catalogueOfCards, body)
    }

    /// Delivers events as Stripe does, and waits until none is pending. Throws when no whole answer came.
    func deliver(_ events: [CardAccount.Event]) async throws {
        for event in events {
            let seconds = clock.now.milliseconds / 1_000
            let answer = try await send(
                "POST", "/api/billing/webhooks/stripe", event.body, token: nil,
                fields: [("Stripe-Signature", event.header("whsec_test", at: seconds))])
            #expect(answer.status == 200, "\(answer.body)")
        }
        while try await open.schema.number(
            "SELECT COUNT(*) FROM inbox_deliveries WHERE reason = 'pending'") > 0
        { try await Task.sleep(for: .milliseconds(20)) }
    }

    /// The rows of a list of operators, from all its pages. Throws when no whole answer came.
    func rows(_ path: String, limit: Int = 100) async throws -> [JSONValue] {
        var (rows, cursor): ([JSONValue], String?) = ([], nil)
        repeat {
            let place = "limit=\(limit)" + (cursor.map { "&cursor=" + $0 } ?? "")
            let answer = try await send(
                "GET", path + (path.contains("?") ? "&" : "?") + place, token: Fixture.apiKey(.read))
            #expect(answer.status == 200, "\(answer.body)")
            let json = try answer.json
            rows += json["data"]?.elements ?? []
            cursor = json["next_cursor"]?.string
        } while cursor != nil
        return rows
    }

    /// A row of purchases in words: `card.pass (plink_pass) of u1: 9990 EUR back 0`.
    static func words(_ row: JSONValue) -> String {
        let payments = (row["payments"]?.elements ?? []).map { payment in
            let (paid, back) = (
                payment["paid_milliunits"]?.integer ?? payment["paid_raw"]?.integer ?? "?",
                payment["refunded_milliunits"]?.integer ?? payment["refunded_raw"]?.integer ?? "?"
            )
            let raw = payment["paid_raw"]?.integer == nil ? "" : " raw"
            return "\(paid) \(payment["currency"]?.string ?? "-")\(raw) back \(back)"
        }
        let (product, name) = (row["product_id"]?.string ?? "?", row["store_product_id"]?.string ?? "?")
        return "\(product) (\(name)) of \(row["user_id"]?.string ?? "nobody"): " + payments.joined(separator: ", ")
    }
}
