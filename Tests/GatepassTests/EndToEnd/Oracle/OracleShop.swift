import Support

/// What the users of the oracle buy: two lanes, of which one pauses, and every kind of product in both stores.
enum OracleShop {
    /// The catalogue as JSON, which is YAML too, so that the server and the oracle read one file.
    static let catalogue = """
        {"apps": [{"bundle_id": "com.airport.vpn", "app_apple_id": 1234567890}],
         "default_tier": "free",
         "lanes": [{"id": "main", "under_higher_window": "run"}, {"id": "tide", "under_higher_window": "pause"}],
         "tiers": [
          {"id": "free", "rank": 0, "features": [], "limits": {"trips": 1}},
          {"id": "basic", "rank": 1, "features": ["standard"], "limits": {"trips": 10}, "devices": 1},
          {"id": "pro", "rank": 2, "features": ["standard", "premium"], "limits": {"trips": 100}, "devices": 5},
          {"id": "ebb", "lane": "tide", "rank": 1, "features": ["sail"], "limits": {"boats": 1}},
          {"id": "flood", "lane": "tide", "rank": 2, "features": ["sail", "row"], "limits": {"boats": 2},
           "devices": 3}],
         "products": [
          {"id": "pass.30", "kind": "pass", "tier": "pro", "duration": "30d"},
          {"id": "basic.30", "kind": "pass", "tier": "basic", "duration": "30d"},
          {"id": "pair.7", "kind": "pass", "tier": "pro", "duration": "7d", "sandbox_duration": "30h", "devices": 2},
          {"id": "ebb.30", "kind": "pass", "tier": "ebb", "duration": "30d"},
          {"id": "addon.maps", "kind": "add_on", "features": ["maps"]},
          {"id": "addon.night", "kind": "add_on", "features": ["night"], "requires": {"tier": "pro"}, "seats": 2,
           "family_shareable": true},
          {"id": "coins.100", "kind": "consumable", "unit": "coin", "amount": 100},
          {"id": "monthly.1", "kind": "plan", "plan_id": "monthly_1", "tier": "basic", "family_shareable": true},
          {"id": "annual.3", "kind": "plan", "plan_id": "annual_3", "tier": "pro"},
          {"id": "tide.monthly", "kind": "plan", "tier": "flood"},
          {"id": "card.pro", "kind": "plan", "plan_id": "monthly_2", "tier": "pro",
           "stripe": {"prices": ["price_pro"]}},
          {"id": "card.basic", "kind": "plan", "tier": "basic", "devices": "quantity",
           "stripe": {"lookup_keys": ["price_basic_key"]}},
          {"id": "card.flood", "kind": "plan", "tier": "flood", "stripe": {"prices": ["price_flood"]}},
          {"id": "card.pass", "kind": "pass", "tier": "pro", "duration": "30d",
           "stripe": {"payment_links": ["plink_pass"]}},
          {"id": "card.week", "kind": "pass", "tier": "basic", "duration": "7d", "sandbox_duration": "1d",
           "stripe": {"payment_links": ["plink_week"]}},
          {"id": "card.ebb", "kind": "pass", "tier": "ebb", "duration": "30d",
           "stripe": {"payment_links": ["plink_ebb"]}},
          {"id": "card.addon", "kind": "add_on", "features": ["card"], "stripe": {"payment_links": ["plink_addon"]}},
          {"id": "card.coins", "kind": "consumable", "unit": "coin", "amount": 50,
           "stripe": {"payment_links": ["plink_coins"]}}]}
        """

    /// A server that sells all that, and a key for it. Throws when it does not become ready.
    static func open() async throws -> EndToEndBackend {
        let server = try await EndToEndServer([
            "GATEPASS_STRIPE_SIGNING_SECRETS": EndToEndServer.cardSecret, "GATEPASS_SANDBOX_ACCESS": "testers",
        ])
        try EndToEndServer.write(catalogue, to: catalogueFile(of: server))
        try await server.boot()
        return try await EndToEndBackend.keyed(server)
    }

    static func catalogueFile(of server: EndToEndServer) -> String { server.directory + "/catalog.yaml" }
}
