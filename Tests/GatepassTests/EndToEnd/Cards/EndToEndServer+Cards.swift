import MariaDB
import StoreSimulator
import Support

extension EndToEndServer {
    static let cardPath = "/api/billing/webhooks/stripe"
    static let cardSecret = "whsec_end_to_end"

    /// The server that conversations about cards share.
    static var withCards: EndToEndServer {
        get async throws { try await cardTask.value }
    }

    private static let cardTask = Task { try await startWithCards() }

    /// Where users of that server change what they pay by card.
    static let cardPage = "https://billing.example.com/p/login"

    /// A server that sells by card. Throws `Failure`.
    static func startWithCards(_ changes: [String: String] = [:]) async throws -> EndToEndServer {
        let server = try await EndToEndServer(
            [
                "GATEPASS_STRIPE_SIGNING_SECRETS": "whsec_before,\(cardSecret)",
                "GATEPASS_STRIPE_MANAGE_URL": cardPage,
            ].merging(changes) { $1 })
        try write(catalogue(adding: cardProducts), to: server.directory + "/catalog.yaml")
        try await server.boot()
        return server
    }

    static let cardProducts = """
          - {id: card.pro, kind: plan, plan_id: monthly_2, tier: pro, stripe: {prices: [price_pro]}}
          - {id: card.basic, kind: plan, tier: basic, devices: quantity, stripe: {lookup_keys: [price_basic_key]}}
          - {id: card.pass, kind: pass, tier: pro, duration: 30d, stripe: {payment_links: [plink_pass]}}
          - {id: card.addon, kind: add_on, features: [card_xyz], stripe: {payment_links: [plink_addon]}}
          - {id: card.credits, kind: consumable, unit: coin, amount: 100, stripe: {payment_links: [plink_coins]}}
        """

    /// Delivers an event as Stripe does. Throws when no whole answer came.
    @discardableResult
    func deliver(_ event: CardAccount.Event) async throws -> EndToEndAnswer {
        let header = event.header(Self.cardSecret, at: EndToEnd.now / 1_000)
        return try await send(
            "POST", Self.cardPath, Array(event.body.utf8), fields: [("Stripe-Signature", header)])
    }

    /// Delivers an event, waits while it is pending, as on a busy machine, and returns what became of it: its state in
    /// the inbox, and the reason for it. Throws when no whole answer came.
    @discardableResult
    func place(_ event: CardAccount.Event) async throws -> String? {
        let answer = try await deliver(event)
        guard let result = answer.string("result"), result != "duplicate" else {
            return answer.string("result") ?? answer.text
        }
        return try await settled(event) { $0 != "parked pending" }
    }

    /// What became of an event in the end, or after a minute. Throws when the database is away.
    func settled(_ event: CardAccount.Event, _ isEnd: (String) -> Bool) async throws -> String? {
        let start = ContinuousClock.now
        while true {
            let outcome = try await outcomes(of: event.id).last
            guard let outcome, !isEnd(outcome), start.duration(to: .now) < .seconds(60) else { return outcome }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    /// How many texts are kept of the events of an account. Throws when the database is away.
    func texts(of shop: CardAccount) async throws -> Int {
        try await schema.number(
            """
            SELECT COUNT(*) FROM inbox_texts t JOIN inbox_deliveries d ON d.id = t.delivery_id
            WHERE d.external_id LIKE ?
            """, [.text("evt_\(shop.tag)_%")])
    }
}
