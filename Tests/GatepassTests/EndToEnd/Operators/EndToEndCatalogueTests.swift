import AppStore
import Entitlements
import NIOHTTP1
import StoreSimulator
import StrictJSON
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

        @Test func `a plan says who gains, who loses and what becomes known, and changes nothing`() async throws {
            let server = try await EndToEndServer.start()
            let (new, old) = (
                EndToEndServer.pass(of: "com.airport.vpn.pass.new", at: now - day), EndToEndServer.pass(at: now - day)
            )
            #expect(try await server.attach(server.sign(new), as: "pioneer").string("outcome") == "recorded")
            #expect(try await server.attach(server.sign(old), as: "settler").string("outcome") == "attached")
            let file = server.directory + "/next.yaml"
            let line = "  - {id: com.airport.vpn.pass.new, kind: pass, tier: basic, duration: 7d}"
            try EndToEndServer.write(EndToEndServer.catalogue(adding: line), to: file)
            let tables = try await server.schema.dump()
            let said = try await server.command(["catalog", "plan", file])
            let end = EndToEnd.rfc3339(new.purchaseDate + 7 * day).prefix(19) + "Z"
            #expect(
                said.text.split(separator: "\n").map(String.init) == [
                    "version 2 would be in force; 2 users looked at", "1 user gains:",
                    "  pioneer: free; then basic until \(end)", "no user loses", "1 recorded purchase becomes known:",
                    "  pioneer: com.airport.vpn.pass.new (apple_iap \(new.transactionId), Sandbox)",
                ], "\(said.text)")
            #expect(said.status == 0)
            let (usual, before) = (server.directory + "/catalog.yaml", EndToEndServer.catalogue())
            for words in [["plan", file, "--json"], ["apply", "--dry-run", "--json"]] {
                try EndToEndServer.write(EndToEndServer.catalogue(adding: line), to: usual)
                let answer = try await server.command(["catalog"] + words)
                try EndToEndServer.write(before, to: usual)
                let plan = EndToEndAnswer(status: 200, headers: [:], body: Array(answer.text.utf8))
                #expect(answer.status == 0 && plan.integer("catalog_version") == 2, "\(answer.text)")
                #expect(plan.integer("users") == 2 && plan.count("gains") == 1 && plan.count("losses") == 0)
                #expect(plan.string("gains.0.before.tier") == "free")
                #expect(plan.string("gains.0.after.expires_at") == String(end))
                #expect(plan["gains.0.before.expires_at"]?.isNull == true)
                #expect(plan.string("known_purchases.0.external_id") == new.transactionId)
            }
            let same = try await server.command(["catalog", "plan"])
            #expect(same.text == "nothing to do: version 1 says the same\n" && same.status == 0)
            try EndToEndServer.write(
                EndToEndServer.catalogue().replacing("default_tier: free", with: "default_tier: none"), to: file)
            let wrong = try await server.command(["catalog", "plan", file])
            #expect(wrong.status == 1 && wrong.text.contains("next.yaml:"), "\(wrong.text)")
            let missing = try await server.command(["catalog", "plan", server.directory + "/none.yaml"])
            #expect(missing.status == 1 && missing.text.contains("there is no such file"), "\(missing.text)")
            #expect(try await server.schema.dump() == tables)
            let applied = try await server.command(["catalog", "apply", "--json"])
            #expect(applied.text.contains(#""is_new" : false"#), "\(applied.text)")
            // Purchases keep their terms. So what everybody has without a purchase is what a plan can take.
            try EndToEndServer.write(
                before.replacing("default_tier: free", with: "default_tier: basic"), to: usual)
            #expect(try await server.command(["catalog", "apply"]).status == 0)
            try EndToEndServer.write(before, to: usual)
            let back = try await server.command(["catalog", "plan"])
            #expect(
                back.text == """
                    version 3 would be in force; 2 users looked at
                    no user gains
                    1 user loses:
                      pioneer: basic; then free
                    no recorded purchase becomes known

                    """, "\(back.text)")
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
