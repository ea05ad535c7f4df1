import AppStore
import Entitlements
import StoreSimulator
import StrictJSON
import Support
import Testing

/// A server that sells passes, credits and seats, and the key with which another server calls it.
struct EndToEndBackend: Sendable {
    let server: EndToEndServer
    let secret: String

    /// The backend that conversations share.
    static var shared: EndToEndBackend {
        get async throws { try await sharedTask.value }
    }

    private static let sharedTask = Task { try await open() }

    /// Starts a server with this catalogue and `changes` of its settings, and makes a key. Throws when either fails.
    static func open(_ changes: [String: String] = [:]) async throws -> EndToEndBackend {
        try await keyed(try await ready(changes))
    }

    /// A server that is ready, and a key that was made for it. Throws when none can be made.
    static func keyed(_ server: EndToEndServer) async throws -> EndToEndBackend {
        EndToEndBackend(server: server, secret: try await key("read,write,admin", of: server))
    }

    /// The same server under another key. Throws when none can be made.
    func with(scopes: String) async throws -> EndToEndBackend {
        EndToEndBackend(server: server, secret: try await Self.key(scopes, of: server))
    }

    private static func key(_ scopes: String, of server: EndToEndServer) async throws -> String {
        let made = try await server.command(["keys", "create", "--scopes", scopes, "--json", "--name", "till"])
        return try #require(JSONValue(try StrictJSON(Array(made.text.utf8)))["key"]?.string)
    }

    /// A second instance on the same database, with `changes` of its settings. Throws when it does not become ready.
    func beside(_ changes: [String: String] = [:]) async throws -> EndToEndBackend {
        EndToEndBackend(server: try await Self.ready(changes, on: server.schema), secret: secret)
    }

    /// A server with this catalogue and `changes` of its settings, on a schema of its own or this one. Throws when it
    /// does not become ready.
    static func ready(_ changes: [String: String], on shared: TestSchema? = nil) async throws -> EndToEndServer {
        let rules = ["GATEPASS_SANDBOX_ACCESS": "testers", "GATEPASS_DEVICES_SEAT_GRACE_HOURS": "0"]
        let server = try await EndToEndServer(rules.merging(changes) { _, changed in changed }, on: shared)
        try EndToEndServer.write(catalogue, to: server.directory + "/catalog.yaml")
        try await server.boot()
        return server
    }

    static let catalogue = """
        apps:
          - {bundle_id: com.airport.vpn, app_apple_id: 1234567890}
        default_tier: free
        lanes:
          - {id: main, under_higher_window: run}
          - {id: tide, under_higher_window: pause}
        tiers:
          - {id: free, rank: 0}
          - {id: basic, rank: 1, devices: 1}
          - {id: pro, rank: 2, devices: 5}
          - {id: ebb, lane: tide, rank: 1}
          - {id: flood, lane: tide, rank: 2}
        ownership: {pass: transfer, add_on: keep, plan: keep, consumable: keep}
        products:
          - {id: pass.30, kind: pass, tier: pro, duration: 30d, stripe: {payment_links: [plink_pass]}}
          - {id: basic.30, kind: pass, tier: basic, duration: 30d}
          - {id: pair.30, kind: pass, tier: pro, duration: 30d, devices: 2}
          - {id: ebb.30, kind: pass, tier: ebb, duration: 30d}
          - {id: credits.100, kind: consumable, unit: credit, amount: 100}
          - {id: credits.1, kind: consumable, unit: credit, amount: 1}
          - {id: annual.3, kind: plan, plan_id: annual_3, tier: pro, stripe: {prices: [price_annual]}}
          - {id: monthly.1, kind: plan, plan_id: monthly_1, tier: pro}
          - {id: lenient.100, kind: consumable, unit: credit, amount: 100, on_shortfall: write_off}
        """

    // MARK: Requests

    /// Does something for a user. Throws when no whole answer came.
    @discardableResult
    func act(
        _ path: String, _ body: String = #"{"reason":"a test"}"#, for user: String, method: String = "POST",
        key: String = "key-" + EndToEnd.newID()
    ) async throws -> EndToEndAnswer {
        try await server.send(
            method, "/api/admin/users/\(user)/\(path)", Array(body.utf8),
            fields: [("Authorization", "Bearer " + secret), ("Idempotency-Key", key)])
    }

    /// Asks about a user. Throws when no whole answer came.
    func look(_ path: String, of user: String) async throws -> EndToEndAnswer {
        try await ask("users/\(user)/\(path)")
    }

    /// Asks across users. Throws when no whole answer came.
    func ask(_ path: String) async throws -> EndToEndAnswer {
        try await server.send("GET", "/api/admin/" + path, fields: [("Authorization", "Bearer " + secret)])
    }

    /// Spends credits of a user. Throws when no whole answer came.
    @discardableResult
    func spend(
        _ units: Int, for user: String, key: String = "key-" + EndToEnd.newID()
    ) async throws -> EndToEndAnswer {
        try await act("credits/credit/spend", #"{"amount":\#(units),"reference":"a thing"}"#, for: user, key: key)
    }

    /// Reserves credits of a user for an hour. Throws when no whole answer came.
    @discardableResult
    func reserve(
        _ units: Int, for user: String, key: String = "key-" + EndToEnd.newID()
    ) async throws -> EndToEndAnswer {
        try await act("credits/credit/reservations", #"{"amount":\#(units),"ttl_seconds":3600}"#, for: user, key: key)
    }

    /// Gives something that `gift` describes. Throws when no whole answer came.
    @discardableResult
    func grant(
        _ gift: String, to user: String, key: String = "key-" + EndToEnd.newID()
    ) async throws -> EndToEndAnswer {
        try await act("grants", "{\(gift),\"reason\":\"a test\",\"reference\":\"t\"}", for: user, key: key)
    }

    /// Attaches a transaction. Throws when no whole answer came.
    @discardableResult
    func attach(_ transaction: SimulatedTransaction, to user: String) async throws -> EndToEndAnswer {
        try await server.attach(try server.sign(transaction), as: user)
    }

    // MARK: What is sold

    /// A production purchase of one of the catalogue's products.
    static func sale(
        _ product: String, _ id: String = EndToEnd.newID(), at instant: Int64
    ) -> SimulatedTransaction {
        let isCredits = product.hasSuffix(".100") || product.hasSuffix(".1")
        var sale = SimulatedTransaction(
            id, of: product, type: isCredits ? .consumable : .nonRenewingSubscription,
            bundleId: EndToEndServer.bundleID, at: instant)
        sale.environment = .production
        return sale
    }
}
