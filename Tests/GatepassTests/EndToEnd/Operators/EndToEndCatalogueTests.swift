import AppStore
import Entitlements
import NIOHTTP1
import StoreSimulator
import Support
import Testing

extension EndToEnd {
    /// What is sold, in which language, and what happens when it changes under a running server.
    @Suite struct Selling {
        @Test func `a product that the catalogue learns counts without a restart, for what was bought before too`()
            async throws
        {
            let server = try await EndToEndServer.start()
            let pass = EndToEndServer.pass(of: "com.airport.vpn.pass.new", at: now - day)
            let early = try await server.attach(server.sign(pass), as: "pioneer")
            #expect(early.status == 200)
            #expect(early.string("outcome") == "recorded")
            #expect(early.string("reason") == "unknown_product")
            #expect(early["status.active"] != nil)
            #expect(try await server.schema.counts()["subscriptions"] == 0)

            let line = "  - {id: com.airport.vpn.pass.new, kind: pass, tier: basic, duration: 7d}"
            try EndToEndServer.write(EndToEndServer.catalogue(adding: line), to: server.directory + "/catalog.yaml")
            let applied = try await server.command(["catalog", "apply", "--wait"])
            #expect(applied.status == 0, "\(applied.text)")
            #expect(applied.text.contains("version 2 is in force"))
            #expect(try await server.schema.counts()["subscriptions"] == 1)
            let again = try await server.command(["catalog", "apply"])
            #expect(again.status == 0)
            #expect(again.text.contains("nothing to do"))
            #expect(try await server.schema.counts()["catalog_versions"] == 2)

            let status = try await server.status(of: "pioneer")
            #expect(status.string("tier") == "basic")
            #expect(status.integer("expires_at_ms") == pass.purchaseDate + 7 * day)
            let repeated = try await server.attach(server.sign(pass), as: "pioneer")
            #expect(repeated.string("outcome") == "already_attached")
            // The reader of products looks at the database four times a second.
            var sold: Int64?
            for _ in 0..<200 where sold != 2 {
                sold = try await server.send("GET", "/api/iap/apple/products").integer("catalog_version")
                try await Task.sleep(for: .milliseconds(25))
            }
            #expect(sold == 2)

            let wrong = EndToEndServer.catalogue().replacing("rank: 1", with: "rank: 9")
            try EndToEndServer.write(wrong, to: server.directory + "/catalog.yaml")
            let refused = try await server.command(["catalog", "apply"])
            #expect(refused.status != 0)
            #expect(refused.text.contains("catalog.yaml:6: tiers[1]"))
            #expect(try await server.schema.counts()["catalog_versions"] == 2)
            #expect(try await server.end() == 0)
        }

        @Test func `products speak the client's language and are not sent twice`() async throws {
            let server = try await EndToEndServer.shared
            let path = "/api/iap/apple/products"
            let titles = [
                ("zh-Hans", "30 天通行证", "zh-Hans"), ("zh-Hans-CN, en;q=0.5", "30 天通行证", "zh-Hans"),
                ("en-GB, zh;q=0.1", "30-day pass", "en"), ("", "30-day pass", "en"),
            ]
            for (wanted, title, language) in titles {
                let answer = try await server.send("GET", path, fields: [("Accept-Language", wanted)])
                #expect(answer.status == 200)
                #expect(answer.string("products.0.title") == title, "\(wanted)")
                #expect(answer.headers["Content-Language"] == [language], "\(wanted)")
                #expect(answer.headers["Vary"].joined().contains("Accept-Language"))
                #expect(answer.count("products") == 5)
                #expect(answer.integer("products.0.duration_days") == 30)
                #expect(answer.string("products.0.price.amount") == "4.99")
                let tag = try #require(answer.headers.first(name: "ETag"))
                let same = try await server.send(
                    "GET", path, fields: [("Accept-Language", wanted), ("If-None-Match", tag)])
                #expect(same.status == 304)
            }
            let other = try await server.send("GET", path + "?bundle_id=com.somebody.else")
            #expect(other.status == 404)
        }

        @Test func `for a stranger to the list of testers a sandbox purchase is recorded and gives nothing`()
            async throws
        {
            let server = try await EndToEndServer.start(["GATEPASS_SANDBOX_ACCESS": "testers"])
            let sandbox = try await server.attach(server.sign(EndToEndServer.pass(at: now - day)), as: "reviewer")
            #expect(sandbox.status == 200)
            #expect(sandbox.string("outcome") == "recorded")
            #expect(sandbox.string("reason") == "sandbox_not_allowed")
            #expect(sandbox.string("status.tier") == "free")
            var real = EndToEndServer.pass(at: now - day)
            real.environment = .production
            let production = try await server.attach(server.sign(real), as: "reviewer")
            #expect(production.string("outcome") == "attached")
            #expect(production.integer("status.expires_at_ms") == real.purchaseDate + 30 * day)
            // One id in both worlds is two purchases.
            let twin = EndToEndServer.pass(real.transactionId, at: now - day)
            #expect(try await server.attach(server.sign(twin), as: "twin").string("outcome") == "recorded")
            #expect(try await server.end() == 0)
        }
    }
}
