import AppStore
import Entitlements
import LedgerStore
import NIOHTTP1
import StoreSimulator
import StrictJSON
import Support
import Testing

@testable import EntitlementAPI

/// An order is looked up at Apple by the number in the customer's e-mail.
struct OrderLookUpTests {
    private static let path = "/api/admin/orders/look-up"
    private static let order = "MQ7HX2K4TN"

    private static func open(_ body: @Sendable (TestServer, AppleShelf) async throws -> Void) async throws {
        let apple = AppleShelf()
        try await TestServer.run(asking: apple) { try await body($0, apple) }
    }

    private static func look(
        _ server: TestServer, up order: String = order, key: String = Fixture.apiKey(.read)
    ) async throws -> TestServer.Answer {
        server.clock.now = server.clock.now + 1_000
        return try await server.send("POST", path, #"{"order_id":"\#(order)"}"#, token: key)
    }

    private static func text(_ id: String, _ server: TestServer, isRefunded: Bool = false) throws -> String {
        var pass = Fixture.pass(id)
        pass.environment = .production
        if isRefunded { pass = pass.refunded(at: pass.purchaseDate + 1, percentage: 100_000) }
        return try server.authority.sign(pass.signed(at: pass.purchaseDate + 60_000)).text
    }

    @Test func `an unknown order has no transactions`() async throws {
        try await Self.open { server, apple in
            let answer = try await Self.look(server)
            #expect(answer.status == 200 && answer.body == #"{"order_id":"MQ7HX2K4TN","transactions":[]}"#)
            #expect(apple.asked == [.order(Self.order)] && apple.environments == [.production])
        }
    }

    @Test func `an order says what was bought, whose it is and what is refunded, and binds nothing`() async throws {
        try await Self.open { server, apple in
            let texts = try [
                Self.text("1001", server), Self.text("1002", server), Self.text("1003", server, isRefunded: true),
            ]
            let attached = try await server.send(
                "POST", "/api/iap/apple/transactions/attach", #"{"signedTransactionJWS":"\#(texts[0])"}"#)
            #expect(attached.status == 200)
            apple.add(order: Self.order, texts + [String(texts[1].dropLast(4)) + "AAAA"])
            let answer = try await Self.look(server, up: Self.order.lowercased())
            let rows = try #require(try answer.json["transactions"]?.elements)
            #expect(
                rows.map { "\($0["transaction_id"]?.string ?? "") \($0["user_id"]?.string ?? "-")" }
                    == ["1001 u1", "1002 -", "1003 -"])
            #expect(rows.map { $0["refunded"]?.flag } == [false, false, true])
            let first = rows[0]
            #expect(first["app"]?.string == Fixture.app.text && first["environment"]?.string == "Production")
            #expect(first["product_id"]?.string == "pass.30d" && first["original_transaction_id"]?.string == "1001")
            #expect(first["purchased_at"]?.string == "2026-01-10T00:00:00Z")
            #expect(try await server.open.schema.number("SELECT COUNT(*) FROM purchases WHERE user_id IS NULL") == 2)
            let search = try await server.send("GET", "/api/admin/search?q=1002", token: Fixture.apiKey(.read))
            #expect(search.body.contains(#""kind":"purchase""#), "it is recorded")
            #expect(server.log.lines.contains { $0.contains("not genuine") })
        }
    }

    @Test func `a refund that only the order shows ends its owner's pass`() async throws {
        try await Self.open { server, apple in
            let bought = try Self.text("1001", server)
            _ = try await server.send(
                "POST", "/api/iap/apple/transactions/attach", #"{"signedTransactionJWS":"\#(bought)"}"#)
            var refunded = Fixture.pass("1001")
            refunded.environment = .production
            refunded = refunded.refunded(at: refunded.purchaseDate + 1, percentage: 100_000)
            let text = try server.authority.sign(refunded.signed(at: refunded.purchaseDate + 120_000)).text
            apple.add(order: Self.order, [text])
            #expect(try await Self.look(server).json["transactions"]?.elements?.first?["user_id"]?.string == "u1")
            let status = try await server.send("GET", "/api/iap/apple/status")
            #expect(try status.json["state"]?.string == "expired")
        }
    }

    @Test func `each server asks once a second`() async throws {
        try await Self.open { server, apple in
            let body = #"{"order_id":"MQ7HX2K4TN"}"#
            let first = try await server.send("POST", Self.path, body, token: Fixture.apiKey(.read))
            #expect(first.status == 200 && first.headers.first(name: "RateLimit") == #""look_up";r=0;t=1"#)
            let second = try await server.send("POST", Self.path, body, token: Fixture.apiKey(.read))
            #expect(second.status == 429 && second.code == "rate_limited")
            #expect(second.headers.first(name: "Retry-After") == "1")
            #expect(second.headers.first(name: "RateLimit-Policy") == #""look_up";q=1;w=1"#)
            #expect(try await server.send("POST", Self.path, body, token: Fixture.apiKey(.admin)).status == 200)
            server.clock.now = server.clock.now + 999
            #expect(try await server.send("POST", Self.path, body, token: Fixture.apiKey(.read)).status == 429)
            server.clock.now = server.clock.now + 1
            #expect(try await server.send("POST", Self.path, body, token: Fixture.apiKey(.read)).status == 200)
            #expect(apple.asked.count == 3)
        }
    }

    @Test func `each look-up stands in the audit trail, also one that Apple did not answer`() async throws {
        try await Self.open { server, apple in
            apple.fail(.unreachable("away"))
            let away = try await Self.look(server)
            #expect(away.status == 503 && away.code == "unavailable", "\(away.body)")
            #expect(try await Self.look(server).status == 200)
            let trail = try await server.send(
                "GET", "/api/admin/audit?action=order.look_up", token: Fixture.apiKey(.audit))
            let rows = try #require(try trail.json["data"]?.elements)
            #expect(rows.count == 2 && rows.allSatisfy { $0["actor"]?.string == "api_key:2 read" }, "\(trail.body)")
            #expect(rows[0]["details"]?["order_id"]?.string == Self.order && rows[0]["user_id"]?.isNull == true)
        }
    }

    @Test func `what is no order number is refused, and only a server with the scope may ask`() async throws {
        try await Self.open { server, apple in
            for order in ["", "M1", "1234567890", "MQ7HX2K4T?"] {
                let answer = try await Self.look(server, up: order)
                #expect(answer.status == 400 && answer.code == "invalid_request", "\(order): \(answer.body)")
            }
            #expect(try await Self.look(server, key: Fixture.apiKey(.audit)).status == 403)
            #expect(try await Self.look(server, key: Fixture.token(of: "u1")).status == 401)
            let dry = try await server.send(
                "POST", Self.path + "?dry_run=1", #"{"order_id":"MQ7HX2K4TN"}"#, token: Fixture.apiKey(.write))
            #expect(dry.status == 400, "it is a read, which has no dry run")
            #expect(apple.asked.isEmpty)
        }
        try await TestServer.run { server in
            let answer = try await Self.look(server)
            #expect(answer.status == 404 && answer.code == "not_found")
        }
    }

    @Test func `a passing failure is unavailable, and a key that nobody takes too`() async throws {
        try await Self.open { server, apple in
            for failure in [
                AppStoreServerFailure.paused(until: Fixture.now + 90_000), .keyNotAccepted, .refused(code: 4_040_004),
            ] {
                apple.fail(failure)
                let answer = try await Self.look(server)
                #expect(answer.status == 503, "\(failure)")
            }
            apple.fail(.refused(code: 4_040_003))
            #expect(try await Self.look(server).status == 200, "Apple does not know the app")
        }
    }

    @Test func `a search says that a text looks like an order number, and never asks`() async throws {
        try await Self.open { server, apple in
            let found = try await server.send("GET", "/api/admin/search?q=MQ7HX2K4TN", token: Fixture.apiKey(.read))
            #expect(try found.json["data"]?.elements?.map { $0["kind"]?.string } == ["order"], "\(found.body)")
            for text in ["mq7hx2k4tn", "M1", "u1"] {
                let other = try await server.send("GET", "/api/admin/search?q=" + text, token: Fixture.apiKey(.read))
                #expect(!other.body.contains(#""kind":"order""#))
            }
            #expect(apple.asked.isEmpty)
        }
    }
}
