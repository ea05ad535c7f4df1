import AppStore
import Entitlements
import LedgerStore
import NIOHTTP1
import StoreSimulator
import StrictJSON
import Support
import Testing

@testable import EntitlementAPI

/// Every list comes in pages, and asking for a page that is none is refused by name.
struct PagedListsTests {
    /// What the pages of `path` have under `member`, and how many pages there are.
    private static func pages(
        _ path: String, of member: String, token: String, _ server: TestServer
    ) async throws -> (texts: [String?], count: Int) {
        var (texts, count, next) = ([String?](), 0, path)
        while count < 9 {
            let answer = try await server.send("GET", next, token: token)
            #expect(answer.status == 200, "\(next): \(answer.body)")
            texts += try answer.json["data"]?.elements?.map { $0[member]?.string } ?? []
            count += 1
            guard let cursor = try answer.json["next_cursor"]?.string else { break }
            next = path + "&cursor=" + cursor
        }
        return (texts, count)
    }

    private static let reader = Fixture.apiKey(.read)

    /// A list under `/api/admin/users/u1`, and the user's own.
    private static func both(_ list: String) -> [(path: String, token: String)] {
        [("/api/" + list, Fixture.token(of: "u1")), ("/api/admin/users/u1/" + list, reader)]
    }

    private static func register(_ device: String, _ server: TestServer) async throws {
        let answer = try await server.send("POST", "/api/devices", #"{"device_id":"\#(device)"}"#)
        #expect(answer.status == 201, "\(answer.body)")
    }

    @Test func `devices come in pages, the newest first, whatever comes and goes meanwhile`() async throws {
        try await TestServer.run { server in
            try await server.grant(.addDays(30, of: TierID("pro")), as: "g1")
            for device in ["b", "a", "c"] { try await Self.register(device, server) }
            server.wait(hours: 1)
            try await Self.register("d", server)
            for (path, token) in Self.both("devices") {
                for (limit, count) in [(1, 4), (2, 2), (3, 2), (4, 1), (100, 1)] {
                    let found = try await Self.pages("\(path)?limit=\(limit)", of: "device_id", token: token, server)
                    #expect(found.texts == ["d", "a", "b", "c"] && found.count == count)
                }
            }
            let first = try await server.send("GET", "/api/devices?limit=2").json
            let cursor = try #require(first["next_cursor"]?.string)
            #expect(try await server.send("DELETE", "/api/devices/a").status == 204)
            try await Self.register("e", server)
            let second = try await server.send("GET", "/api/devices?limit=2&cursor=" + cursor).json
            #expect(second["data"]?.elements?.map { $0["device_id"]?.string } == ["b", "c"])
            #expect(second["next_cursor"]?.isNull == true)
        }
    }

    @Test func `balances come in pages, each with its lots`() async throws {
        try await TestServer.run { server in
            try await server.sellCredits("c1")
            try await server.sellCredits("c2", in: .sandbox)
            for (path, token) in Self.both("credits") {
                for (limit, count) in [(1, 2), (2, 1), (100, 1)] {
                    let found = try await Self.pages("\(path)?limit=\(limit)", of: "environment", token: token, server)
                    #expect(found.texts == ["Production", "Sandbox"] && found.count == count)
                }
                let first = try await server.send("GET", path + "?limit=1", token: token).json["data"]?.elements?.first
                #expect(first?["lots"]?.elements?.map { $0["external_id"]?.string } == ["c1"])
            }
        }
    }

    @Test func `what is found comes in pages, each thing once`() async throws {
        let text = Fixture.accountToken
        let kinds = ["user", "account_token", "purchase", "purchase", "transaction", "transaction"]
        try await TestServer.run { server in
            let issued = try await server.send("GET", "/api/iap/apple/account-token", token: Fixture.token(of: text))
            #expect(issued.body.contains(text))
            for environment in [StoreEnvironment.production, .sandbox] {
                try await server.sell("pass.30d", as: text, .pass, to: text, in: environment)
            }
            for (limit, count) in [(1, 6), (4, 2), (5, 2), (6, 1), (100, 1)] {
                let path = "/api/admin/search?q=\(text)&limit=\(limit)"
                let pages = try await Self.pages(path, of: "kind", token: Self.reader, server)
                #expect(pages.texts == kinds && pages.count == count)
                let places = try await Self.pages(path, of: "environment", token: Self.reader, server).texts
                #expect(places == [nil, nil, "Production", "Sandbox", "Production", "Sandbox"])
            }
        }
    }

    @Test func `a limit out of range, or a cursor of no earlier page or of another list, is refused by name`()
        async throws
    {
        try await TestServer.run { server in
            try await server.sellCredits("c1")
            try await server.sellCredits("c2", in: .sandbox)
            try await server.grant(.addDays(30, of: TierID("pro")), as: "g1")
            for device in ["a", "b"] { try await Self.register(device, server) }
            var cursors: [String: String] = ["transactions": CursorText.encode("transactions", ["7"])]
            for list in ["devices", "credits", "iap/purchases"] {
                let page = try await server.send("GET", "/api/\(list)?limit=1").json
                cursors[list] = try #require(page["next_cursor"]?.string)
            }
            for list in ["devices", "credits", "search"] {
                let foreign = cursors.filter { $0.key != list }.map { "cursor=" + $0.value }
                let asked =
                    list == "search"
                    ? [("/api/admin/search?q=a&", Self.reader)] : Self.both(list).map { ($0.path + "?", $0.token) }
                for (path, token) in asked {
                    for query in ["limit=0", "limit=101", "limit=-1", "limit=x", "limit=", "limit=1&limit=1"] {
                        try await server.expectRefusal(
                            400, "invalid_request", "GET", path + query, at: "?limit", token: token)
                    }
                    for query in ["cursor=", "cursor=1", "cursor=AAAA"] + foreign {
                        try await server.expectRefusal(
                            400, "invalid_request", "GET", path + query, at: "?cursor", token: token)
                    }
                }
            }
            let numbered = [
                "audit", "api-keys", "users/u1/timeline", "transactions", "ended-before-attached", "anomalies",
                "sandbox-testers", "conflicts", "webhooks", "users", "jobs",
            ]
            for list in numbered {
                let name = list.split(separator: "/").last.map(String.init) ?? list
                let others = [
                    CursorText.encode(name == "audit" ? "conflicts" : "audit", ["7"]), CursorText.encode(name, ["+7"]),
                    CursorText.encode(name, ["07"]), CursorText.encode(name, [""]),
                    CursorText.encode(name, ["7", "8"]),
                ]
                for cursor in others {
                    try await server.expectRefusal(
                        400, "invalid_request", "GET", "/api/admin/\(list)?cursor=\(cursor)", at: "?cursor",
                        token: Fixture.apiKey(.admin))
                }
                let own = CursorText.encode(name, ["7"])
                let page = try await server.send(
                    "GET", "/api/admin/\(list)?cursor=\(own)", token: Fixture.apiKey(.admin))
                #expect(page.status == 200, "\(list): \(page.body)")
            }
        }
    }
}

/// The inbox is a list with filters.
extension PagedListsTests {
    private static let webhooks = "/api/admin/webhooks?"

    /// Delivers as Apple does. Throws when no whole answer came.
    private static func deliver(
        _ type: NotificationType, _ name: String, about transaction: SimulatedTransaction, _ server: TestServer
    ) async throws {
        var notification = SimulatedNotification(
            type, uuid: name,
            about: .data(
                transaction: try server.authority.sign(transaction).text, renewalInfo: nil, status: nil),
            bundleId: Fixture.app.text, at: transaction.signedDate)
        notification.environment = transaction.environment
        let body = #"{"signedPayload":"\#(try server.authority.sign(notification).text)"}"#
        let answer = try await server.send("POST", "/api/billing/webhooks/apple", body, token: nil)
        #expect(answer.status == 200, "\(answer.body)")
    }

    /// Delivers as Stripe does, in an account of the same name. Throws when no whole answer came.
    private static func deliver(
        _ type: String, _ name: String, _ object: (CardAccount) -> CardJSON, _ server: TestServer
    ) async throws {
        let (shop, seconds) = (CardAccount(tag: name), server.clock.now.milliseconds / 1_000)
        let event = shop.event(0, type, at: seconds, object(shop))
        let answer = try await server.send(
            "POST", "/api/billing/webhooks/stripe", event.body, token: nil,
            fields: [("Stripe-Signature", event.header("whsec_test", at: seconds))])
        #expect(answer.status == 200, "\(answer.body)")
    }

    @Test func `each delivery leaves a line in the log with id, source, type and result, and names no user`()
        async throws
    {
        try await Self.afterDeliveries { server in
            let first = try await server.open.schema.number("SELECT MIN(id) FROM inbox_deliveries")
            let lines = server.log.lines.filter { $0.hasPrefix("info delivery ") }
            let told = [
                "reason= result=duplicate source=apple_iap type=ONE_TIME_CHARGE",
                "reason=no_user result=parked source=apple_iap type=ONE_TIME_CHARGE",
                "reason= result=applied source=stripe type=checkout.session.completed",
                "reason= result=applied source=apple_iap type=REFUND",
                "reason= result=applied source=stripe type=checkout.session.completed",
                "reason= result=applied source=stripe type=customer.created",
            ]
            #expect(lines == told.enumerated().map { "info delivery delivery=\(first + $0) \($1)" })
            #expect(!server.log.lines.contains { $0.contains("alice") || $0.contains("bob") })
        }
    }

    /// Runs `body` after six deliveries, one an hour from noon on. Alice has the pass of the first and the fourth, the
    /// third names her; the second is about a pass that nobody has, the others name Bob and Carol. Throws what `body`
    /// throws.
    private static func afterDeliveries(_ body: @Sendable (TestServer) async throws -> Void) async throws {
        try await TestServer.run { server in
            let pass = Fixture.pass("1001")
            try await attach(pass, to: "alice", server)
            try await deliver(.oneTimeCharge, "bought", about: pass, server)
            server.wait(hours: 1)
            try await deliver(.oneTimeCharge, "waits", about: stray, server)
            server.wait(hours: 1)
            try await deliver("checkout.session.completed", "alice", paid(by: "alice"), server)
            server.wait(hours: 1)
            try await deliver(.refund, "refunded", about: pass.refunded(at: pass.purchaseDate + 1), server)
            server.wait(hours: 1)
            try await deliver("checkout.session.completed", "bob", paid(by: "bob"), server)
            server.wait(hours: 1)
            try await deliver("customer.created", "carol", named("carol"), server)
            // On a busy machine placing goes on after the answer.
            while try await listed("reason=pending", server) != [] { try await Task.sleep(for: .milliseconds(50)) }
            try await body(server)
        }
    }

    private static var stray: SimulatedTransaction {
        var pass = Fixture.pass("2002")
        pass.appTransactionId = "of nobody's account"
        return pass
    }

    private static func paid(by user: String) -> (CardAccount) -> CardJSON {
        { $0.session("payment", user: user, intent: "pi_" + user, with: ["payment_link": "plink_pass"]) }
    }

    private static func named(_ user: String) -> (CardAccount) -> CardJSON {
        { ["id": .text($0.customer), "object": "customer", "metadata": ["user_id": .text(user)]] }
    }

    private static func attach(_ pass: SimulatedTransaction, to user: String, _ server: TestServer) async throws {
        let answer = try await server.send(
            "POST", "/api/iap/apple/transactions/attach",
            #"{"signedTransactionJWS":"\#(try server.authority.sign(pass).text)"}"#, token: Fixture.token(of: user))
        #expect(answer.status == 200, "\(answer.body)")
    }

    /// The deliveries that pass the filters of a query: Apple's by their names, Stripe's by those of the accounts.
    private static func listed(_ query: String, limit: Int = 100, _ server: TestServer) async throws -> [String] {
        let pages = try await pages(
            "\(webhooks)limit=\(limit)&\(query)", of: "notification_id", token: reader, server)
        #expect(pages.count == max(1, (pages.texts.count + limit - 1) / limit), "\(query) by \(limit)")
        return pages.texts.compactMap { $0?.replacing("evt_", with: "").replacing("_1000", with: "") }
    }

    private static let all = ["carol", "bob", "refunded", "alice", "waits", "bought"]

    /// What each query lists.
    private static let filtered: [(query: String, names: [String])] = [
        ("", all),
        ("user_id=alice", ["refunded", "alice", "bought"]), ("user_id=bob", ["bob"]),
        ("user_id=carol", ["carol"]), ("user_id=Alice", []), ("user_id=nobody", []),
        ("source=stripe", ["carol", "bob", "alice"]), ("source=apple_iap", ["refunded", "waits", "bought"]),
        ("from=2026-01-15T13:00:00Z", Array(all.prefix(5))),
        ("from=2026-01-15T13:00:00.001Z", Array(all.prefix(4))),
        ("from=2026-01-15T17:00:01Z", []), ("from=0001-01-01T00:00:00Z", all),
        ("to=2026-01-15T13:00:00Z", ["bought"]), ("to=2026-01-15T12:00:00Z", []),
        ("to=2026-01-15T13:00:00.001Z", ["waits", "bought"]), ("to=9999-12-31T23:59:59Z", all),
        ("from=2026-01-15T13:00:00Z&to=2026-01-15T15:00:00Z", ["alice", "waits"]),
        ("from=2026-01-15T14:00:00+01:00&to=2026-01-15T09:00:00-06:00", ["alice", "waits"]),
        ("source=stripe&from=2026-01-15T14:00:00Z&to=2026-01-15T17:00:00Z", ["bob", "alice"]),
        ("user_id=alice&source=apple_iap", ["refunded", "bought"]),
        ("user_id=alice&to=2026-01-15T15:00:00Z", ["alice", "bought"]),
        ("user_id=alice&source=apple_iap&from=2026-01-15T13:00:00Z", ["refunded"]),
        ("user_id=bob&source=apple_iap", []), ("state=parked", ["waits"]),
        ("state=parked&source=apple_iap&from=2026-01-15T13:00:00Z", ["waits"]),
        ("state=parked&source=stripe", []), ("state=parked&user_id=alice", []),
        ("reason=no_user&to=2026-01-15T13:00:00Z", []), ("reason=no_user&source=apple_iap", ["waits"]),
        ("reason=no_user&state=parked&source=apple_iap&to=2026-01-15T14:00:00Z", ["waits"]),
        ("state=applied&source=apple_iap", ["refunded"]), ("state=applied&to=2026-01-15T15:00:00Z", ["alice"]),
    ]

    @Test func `deliveries are listed by user, source and time of receipt, each alone and together, page by page`()
        async throws
    {
        try await Self.afterDeliveries { server in
            for (query, names) in Self.filtered {
                for limit in [1, 2, 5, 100] {
                    let listed = try await Self.listed(query, limit: limit, server)
                    #expect(listed == names, "\(query) by \(limit)")
                }
            }
        }
    }

    @Test func `a delivery concerns whoever has its purchase now, and nobody once that user is erased`() async throws {
        try await Self.afterDeliveries { server in
            try await Self.attach(Self.stray, to: "bob", server)
            #expect(try await Self.listed("user_id=bob", server) == ["bob", "waits"])
            for user in ["alice", "carol"] {
                let erased = try await server.send(
                    "POST", "/api/admin/users/\(user)/erase", #"{"reason":"asked"}"#, token: Fixture.apiKey(.admin),
                    fields: [("Idempotency-Key", "erase-" + user)])
                #expect(erased.status == 204, "\(erased.body)")
                #expect(try await Self.listed("user_id=" + user, server) == [])
            }
            #expect(try await Self.listed("", server) == Self.all)
        }
    }

    @Test func `deliveries that come at once, or to an instance whose clock is behind, are listed once in every page`()
        async throws
    {
        try await Self.afterDeliveries { server in
            server.wait(hours: -4)
            for name in ["first", "second"] {
                try await Self.deliver("customer.created", name, Self.named(name), server)
            }
            let names = ["carol", "bob", "refunded", "alice", "second", "first", "waits", "bought"]
            for limit in 1...8 {
                #expect(try await Self.listed("", limit: limit, server) == names)
                #expect(
                    try await Self.listed("source=stripe", limit: limit, server)
                        == ["carol", "bob", "alice", "second", "first"])
                #expect(
                    try await Self.listed("to=2026-01-15T13:00:00.001Z", limit: limit, server)
                        == ["second", "first", "waits", "bought"])
            }
        }
    }

    @Test func `a bad filter of deliveries is refused by its name`() async throws {
        try await TestServer.run { server in
            let (instant, earlier) = ("2026-01-15T12:00:00Z", "2026-01-15T11:59:59.999Z")
            for (name, values) in [
                ("user_id", ["", "a%20b", "%237", "-a", String(repeating: "a", count: 129), "z%C3%B6e"]),
                ("source", ["", "all", "manual", "apple", "APPLE_IAP", "stripe%20", "stripe,apple_iap"]),
                ("from", ["", "yesterday", "1768478400", "2026-01-15", "2026-01-15T12:00:00", "2026-02-30T12:00:00Z"]),
                ("to", ["", "now", "1768478400000", "2026-01-15", "2026-01-15T12:00:00"]),
                ("to", ["\(instant)&from=\(instant)", "\(earlier)&from=\(instant)"]),
                ("state", ["", "lost"]), ("reason", ["", "none"]),
            ] {
                for value in values {
                    try await server.expectRefusal(
                        400, "invalid_request", "GET", Self.webhooks + "\(name)=\(value)", at: "?" + name,
                        token: Self.reader)
                }
            }
            #expect(try await Self.listed("from=\(earlier)&to=\(instant)", server) == [])
        }
    }
}
