import AppStore
import Entitlements
import LedgerStore
import MariaDB
import StoreSimulator
import StrictJSON
import Support
import Testing

@testable import EntitlementAPI

/// A server, the App Store that asks it, and what answers.
struct ConsumptionShop {
    static let list = "/api/admin/consumption-requests"

    let server: TestServer
    let apple: ToldServer
    let answers: StoreAnswers

    /// A sale in the Sandbox five days ago.
    func sale(_ id: String, _ product: String = "credits", _ type: ProductType = .consumable)
        -> SimulatedTransaction
    {
        SimulatedTransaction(
            id, of: product, type: type, bundleId: Fixture.app.text,
            at: server.clock.now.milliseconds - 5 * Instant.millisecondsPerDay)
    }

    func attach(_ sale: SimulatedTransaction, to user: String = "u1") async throws {
        let text = try server.authority.sign(sale).text
        let answer = try await server.send(
            "POST", "/api/iap/apple/transactions/attach", #"{"signedTransactionJWS":"\#(text)"}"#,
            token: Fixture.token(of: user))
        #expect(answer.status == 200, "\(answer.body)")
    }

    func consent(_ consents: Bool = true, _ user: String = "u1") async throws {
        let answer = try await server.send(
            "PUT", "/api/iap/apple/consumption-consent", #"{"consented":\#(consents)}"#,
            token: Fixture.token(of: user))
        #expect(answer.status == 200, "\(answer.body)")
    }

    func spend(_ units: Int, of user: String = "u1") async throws {
        let answer = try await server.send(
            "POST", "/api/admin/users/\(user)/credits/credit/spend",
            #"{"amount":\#(units),"environment":"Sandbox","reference":"r"}"#,
            token: Fixture.apiKey(.write), fields: [("Idempotency-Key", "spend-\(units)")])
        #expect(answer.status == 200, "\(answer.body)")
    }

    func act(_ path: String, _ body: String, _ scope: APIKeyScope = .write) async throws {
        let answer = try await server.send(
            "POST", "/api/admin/users/u1/" + path, body, token: Fixture.apiKey(scope),
            fields: [("Idempotency-Key", "k-" + path)])
        #expect((200..<300).contains(answer.status), "\(answer.body)")
    }

    /// Sends a notification about a sale as Apple does, and answers its result.
    @discardableResult
    func notify(_ type: NotificationType, _ sale: SimulatedTransaction) async throws -> String? {
        let event = SimulatedEvent(type, about: sale.signed(at: server.clock.now.milliseconds))
        let notification = try event.notification(
            uuid: "\(UInt64.random(in: .min ... .max))", signedBy: server.authority)
        let text = try server.authority.sign(notification).text
        let answer = try await server.send(
            "POST", "/api/billing/webhooks/apple", #"{"signedPayload":"\#(text)"}"#, token: nil)
        return try answer.json["result"]?.string
    }

    /// The row of the question that was asked last.
    func asked() async throws -> UInt64 {
        let rows = try await server.open.schema.rows("SELECT MAX(id) FROM consumption_requests")
        guard case .uint64(let id)? = rows.first?.first else { throw Fixture.Missing() }
        return id
    }

    /// Asks about a sale, and has the question answered.
    func ask(_ sale: SimulatedTransaction) async throws {
        try await notify(.consumptionRequest, sale)
        try await answers.answer(question: asked())
    }

    /// The state and reason of the question that was asked last.
    func outcome() async throws -> [String?] {
        let row = try await listed().first
        return [row?["state"]?.string, row?["reason"]?.string]
    }

    func listed(_ query: String = "") async throws -> [JSONValue] {
        let answer = try await server.send(
            "GET", Self.list + query, token: Fixture.apiKey(.read))
        #expect(answer.status == 200, "\(answer.body)")
        return try answer.json["data"]?.elements ?? []
    }

    func jobs() async throws -> Int {
        try await server.open.schema.number("SELECT COUNT(*) FROM jobs WHERE kind = 'consumption'")
    }

    static func open(
        _ policy: ConsumptionPolicy = ConsumptionPolicy(), _ body: @Sendable (ConsumptionShop) async throws -> Void
    ) async throws {
        let apple = ToldServer()
        try await TestServer.run { server in
            try await body(
                ConsumptionShop(server: server, apple: apple, answers: answers(server, asking: apple, policy)))
        }
    }

    static func answers(
        _ server: TestServer, asking apple: (any AppStoreServer)?, _ policy: ConsumptionPolicy = ConsumptionPolicy()
    ) throws -> StoreAnswers {
        StoreAnswers(
            store: StoreDoor(try server.open.store), asking: apple, under: policy,
            now: { [clock = server.clock] in clock.now }, metrics: server.api.metrics, logger: server.api.logger)
    }
}
