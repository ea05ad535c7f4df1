import Entitlements
import LedgerStore
import NIOHTTP1
import StrictJSON
import Support
import Testing

@testable import EntitlementAPI

/// A product has one name for clients, whatever store sold it, and tiers have titles (`api.md`, "Products", "Status").
struct NamesRouteTests {
    private static let products = "/api/iap/apple/products"
    private static let status = "/api/iap/apple/status"

    /// The fixture's world with titles of tiers, and products that are sold by card too, by card alone, and not at all.
    private static let catalogue = CatalogueVersions(
        first: CatalogueVersions.Version(
            number: 3, effectiveAt: .distantPast, catalogue: sold(adding: [])))

    private static func sold(adding products: [Product]) -> Catalogue {
        let fixture = Fixture.catalogue.latest.catalogue
        let (pro, app) = (TierID("pro"), Fixture.app)
        return Catalogue(
            apps: fixture.apps, defaultTier: fixture.defaultTier,
            tiers: [
                fixture.tiers[0],
                Tier(id: pro, rank: 2, features: [Feature("premium")], titles: ["en": "Pro", "fr": "Pro+"]),
            ],
            products: fixture.products + [
                Product(
                    id: ProductID("both"), app: app, terms: .plan(tier: pro, planID: nil, familyShareable: false),
                    cardNames: [ProductID("price_both")]),
                Product(
                    id: ProductID("price_card"), source: .stripe, app: app, terms: .pass(tier: pro, days: 7),
                    titles: ["sv": "Vecka"]),
                Product(id: ProductID("gift"), source: .manual, app: app, terms: .pass(tier: pro, days: 7)),
            ] + products)
    }

    private static func card(_ product: String, as id: String, until expiresAt: Instant?) -> VerifiedPurchase {
        VerifiedPurchase(
            key: PurchaseKey(source: .stripe, app: .cards, environment: .production, externalID: ExternalID(id)),
            transactionID: TransactionID(id), productID: ProductID(product),
            type: expiresAt == nil ? .oneTime : .plan, purchasedAt: Fixture.now, expiresAt: expiresAt,
            signedAt: Fixture.now)
    }

    /// What a list says of names, one text a row.
    private static func names(_ list: JSONValue?) -> [String] {
        (list?.elements ?? []).map { row in
            ["external_id", "product_id", "store_product_id"].map { row[$0].map(text) ?? "missing" }
                .joined(separator: " ")
        }.sorted()
    }

    private static func text(_ value: JSONValue) -> String { value.string ?? (value.isNull ? "null" : "?") }

    @Test func `status and purchases name what any store sold as the catalogue does, with the store's name beside`()
        async throws
    {
        try await TestServer.run(catalogue: Self.catalogue) { server in
            let (user, month) = (try Fixture.user(), Fixture.now + 30 * Instant.millisecondsPerDay)
            try await server.open.sell(Self.card("price_both", as: "sub", until: month), to: user)
            try await server.open.sell(Self.card("price_card", as: "pi", until: nil), to: user)
            try await server.sell("pass.30d", as: "p1", .pass)
            try await server.sell("unheard-of", as: "p2", .pass)
            try await server.grant(.addDays(30, of: TierID("pro")), as: "g1")
            let known = ["g1 null null", "p1 pass.30d pass.30d", "pi price_card price_card", "sub both price_both"]
            let all = (known + ["p2 null unheard-of"]).sorted()
            for (path, token) in [
                (Self.status, Fixture.token(of: "u1")), (Self.status + "?explain=1", Fixture.token(of: "u1")),
                ("/api/admin/users/u1/status", Fixture.apiKey(.read)),
            ] {
                let told = try await server.send("GET", path, token: token).json
                #expect(Self.names(told["entitlements"]) == all, "\(path)")
                #expect(Self.names(told["segments"]) == known, "\(path)")
                let unheard = told["entitlements"]?.elements?.first { $0["external_id"]?.string == "p2" }
                #expect(unheard?["kind"]?.isNull == true && unheard?["state"]?.string == "recorded")
                let explained = told["explanation"]?.elements ?? []
                #expect(explained.allSatisfy { $0["product_id"] != nil && $0["store_product_id"] == nil })
            }
            let purchases = try await server.send("GET", "/api/iap/purchases").json
            #expect(Self.names(purchases["data"]) == all)
        }
    }

    @Test func `products are listed by the store that sells them, each with all its stores`() async throws {
        try await TestServer.run(catalogue: Self.catalogue) { server in
            func list(_ query: String) async throws -> [String] {
                let told = try await server.send("GET", Self.products + query, token: nil).json
                return (told["products"]?.elements ?? []).map { product in
                    let sources = product["sources"]?.elements?.compactMap(\.string) ?? ["missing"]
                    return (product["product_id"]?.string ?? "") + " " + sources.joined(separator: "+")
                }
            }
            let apple = ["pass.30d", "addon", "credits", "annual3"].map { $0 + " apple_iap" }
            let (both, card) = ("both apple_iap+stripe", "price_card stripe")
            #expect(try await list("") == apple + [both])
            #expect(try await list("?source=apple_iap") == apple + [both])
            #expect(try await list("?source=stripe") == [both, card])
            #expect(try await list("?source=all") == apple + [both, card])
            for wrong in ["", "apple", "Stripe", "manual", "all,stripe", "stripe%20"] {
                try await server.expectRefusal(
                    400, "invalid_request", "GET", Self.products + "?source=" + wrong, at: "?source", token: nil)
            }
            try await server.expectRefusal(
                400, "invalid_request", "GET", Self.products + "?source=all&source=all", at: "?source", token: nil)
        }
    }

    @Test func `each list has a tag of its own, and languages of its own`() async throws {
        try await TestServer.run(catalogue: Self.catalogue) { server in
            var tags: [String: String] = [:]
            for source in ["apple_iap", "stripe", "all"] {
                let path = Self.products + "?source=" + source
                let list = try await server.send("GET", path, token: nil)
                let tag = try #require(list.headers.first(name: "ETag"))
                for (other, known) in tags {
                    #expect(known != tag, "\(source) \(other)")
                    let answer = try await server.send("GET", path, token: nil, fields: [("If-None-Match", known)])
                    #expect(answer.status == 200)
                }
                let same = try await server.send("GET", path, token: nil, fields: [("If-None-Match", tag)])
                #expect(same.status == 304)
                tags[source] = tag
            }
            let plain = try await server.send("GET", Self.products, token: nil)
            #expect(plain.headers.first(name: "ETag") == tags["apple_iap"])
            // Only what is sold by card has a Swedish text.
            for (source, languages) in [("apple_iap", "de"), ("stripe", "en, sv"), ("all", "en, sv")] {
                let answer = try await server.send(
                    "GET", Self.products + "?source=" + source, token: nil,
                    fields: [("Accept-Language", "sv, de;q=0.5")])
                let told = answer.headers.first(name: "Content-Language") ?? ""
                #expect(told.hasPrefix(languages), "\(source): \(told)")
            }
        }
    }

    @Test func `tiers stand beside the products with a title in the client's language`() async throws {
        try await TestServer.run(catalogue: Self.catalogue) { server in
            for (wanted, title) in [("fr-CH", "Pro+"), ("en", "Pro"), ("zh", "Pro"), ("", "Pro")] {
                let answer = try await server.send(
                    "GET", Self.products, token: nil, fields: [("Accept-Language", wanted)])
                let tiers = try #require(answer.body.firstRange(of: #""tiers":"#)?.lowerBound)
                #expect(
                    answer.body[tiers...]
                        == #""tiers":[{"tier":"free","rank":0,"title":null},"#
                        + #"{"tier":"pro","rank":2,"title":"\#(title)"}]}"#, "\(wanted)")
            }
            #expect(try await server.send("GET", Self.status).body.contains("title\"") == false)
        }
    }
}
