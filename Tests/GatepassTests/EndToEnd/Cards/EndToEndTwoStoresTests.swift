import NIOHTTP1
import StoreSimulator
import StrictJSON
import Support
import Testing

extension EndToEnd {
    /// A product that the App Store and card billing both sell (`api.md`, "Names of products").
    @Suite struct TwoStores {
        @Test func `one product of both stores has one name, and each store's own beside it`() async throws {
            let server = try await EndToEndServer.withCards
            let (user, bought) = ("both-" + newID(), Cards.ago(10))
            let apple = EndToEndServer.pass(of: "card.pass", at: bought * 1_000)
            #expect(try await server.attach(try server.sign(apple), as: user).status == 200)
            #expect(try await server.place(Cards.pass(Cards.account(), user, at: bought + 60)) == "applied")
            let own = ["card.pass", "plink_pass"]
            let status = try await server.status(of: user)
            for list in ["entitlements", "segments"] {
                #expect(status.count(list) == 2, "\(status.text)")
                for (place, name) in own.enumerated() {
                    #expect(status.string("\(list).\(place).product_id") == "card.pass", "\(status.text)")
                    #expect(status.string("\(list).\(place).store_product_id") == name, "\(status.text)")
                }
            }
            let purchases = try await server.send("GET", "/api/iap/purchases", as: user)
            for (place, name) in own.reversed().enumerated() {
                #expect(purchases.string("data.\(place).product_id") == "card.pass", "\(purchases.text)")
                #expect(purchases.string("data.\(place).store_product_id") == name, "\(purchases.text)")
            }
            let sold = try await server.send("GET", "/api/iap/apple/products?source=stripe")
            let places = (0..<5).filter { sold.string("products.\($0).product_id") == "card.pass" }
            let place = try #require(places.first, "\(sold.text)")
            #expect(sold.string("products.\(place).sources.0") == "apple_iap", "\(sold.text)")
            #expect(sold.string("products.\(place).sources.1") == "stripe", "\(sold.text)")
            #expect(sold.count("products") == 5 && sold.string("tiers.2.tier") == "pro", "\(sold.text)")
        }
    }
}
