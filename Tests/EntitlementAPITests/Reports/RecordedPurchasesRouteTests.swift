import Entitlements
import LedgerStore
import StoreSimulator
import StrictJSON
import Support
import Testing

@testable import EntitlementAPI

/// What was paid, what went back and who has it, of every source.
struct RecordedPurchasesRouteTests {
    private static let list = "/api/admin/purchases"
    private static let reader = Fixture.apiKey(.read)
    private static let start = Fixture.now.milliseconds / 1_000 - 86_400
    private static let end = start + 30 * 86_400

    // MARK: A month of a shop

    /// A sale, and its events in the order in which they happened.
    private struct Sale {
        let sale: SimulatedCardSale
        let events: [CardAccount.Event]
    }

    private static let currencies: [(code: String, price: Int64, thousandths: Int64)] = [
        ("usd", 1_999, 10), ("jpy", 1_001, 1_000), ("kwd", 12_340, 1), ("isk", 500_000, 10), ("xts", 777, 1),
    ]

    /// Passes and subscriptions of a month in one currency: kept, refunded in part and whole, of mapped names and of
    /// others. Throws what an act of the shop refuses.
    private static func month(in currency: (code: String, price: Int64, thousandths: Int64)) throws -> [Sale] {
        let day: Int64 = 86_400
        let start = start - 31 * day
        var (sales, number) = ([Sale](), 0)
        for shape in CardAccount.Shape.allCases {
            for (name, isPlan) in [
                ("plink_pass", false), ("plink_new", false), ("price_pro", true), ("price_new", true),
            ] {
                for percent in [0, 30, 100] as [Int64] {
                    number += 1
                    let account = CardAccount(
                        shape, tag: "\(currency.code)\(number)", currency: currency.code, price: currency.price)
                    let at = start + Int64(number % 7) * day
                    let user = "u\(number % 5)"
                    var (sale, events) =
                        isPlan
                        ? SimulatedCardSale.subscribe(
                            to: name, by: user, until: at + 7 * day, isTrial: percent == 30, at: at, of: account)
                        : SimulatedCardSale.pay(name, by: user, at: at, to: account)
                    if isPlan {
                        events += try sale.fail(until: at + 14 * day, at: at + 7 * day)
                        events += try sale.recover(at: at + 8 * day)
                        events += try sale.renew(until: at + 21 * day, at: at + 14 * day)
                    }
                    if percent > 0 { events += try sale.refund(percent: percent / 2, at: at + 15 * day) }
                    if percent > 0 { events += try sale.refund(percent: percent, at: at + 16 * day) }
                    sales.append(Sale(sale: sale, events: events))
                }
            }
        }
        return sales
    }

    @Test(arguments: [0, 1, 2])
    func `over a month of a shop, what the list sums up to is what the shop's books say, in each currency`(
        order: Int
    ) async throws {
        try await TestServer.runWithCards { server in
            var (books, sales): ([String: [Int64]], [Sale]) = ([:], [])
            for currency in Self.currencies {
                for sale in try Self.month(in: currency) {
                    sales.append(sale)
                    let code = currency.code.uppercased()
                    let amounts = [sale.sale.income, sale.sale.returned].map { $0 * currency.thousandths }
                    books[code] = zip(books[code] ?? [0, 0], amounts).map { $0 + $1 }
                }
            }
            let events = sales.flatMap(\.events)
            switch order {
            case 0: try await server.deliver(events)
            case 1: try await server.deliver(events.reversed() + events)
            default: try await server.deliver((events + events).shuffled())
            }
            var found: [String: [Int64]] = [:]
            let rows = try await server.rows(Self.list, limit: 7)
            #expect(rows.count == sales.count)
            for payment in rows.flatMap({ $0["payments"]?.elements ?? [] }) {
                let code = try #require(payment["currency"]?.string)
                let isRaw = code == "XTS"
                #expect(payment["paid_raw"]?.isNull == !isRaw && payment["paid_milliunits"]?.isNull == isRaw)
                let names = isRaw ? ["paid_raw", "refunded_raw"] : ["paid_milliunits", "refunded_milliunits"]
                let amounts = try names.map { try #require(payment[$0]?.integer.flatMap { Int64($0) }) }
                found[code] = zip(found[code] ?? [0, 0], amounts).map { $0 + $1 }
            }
            #expect(found == books)
            let unmapped = try await server.rows("/api/admin/anomalies?reason=unknown_product")
            #expect(unmapped.count == sales.count / 2, "every unmapped name has an owner, and is found")
        }
    }

    // MARK: The rows

    @Test func `a row says what was bought, who has it, when, what was paid and what went back`() async throws {
        try await TestServer.runWithCards { server in
            let shop = CardAccount(tag: "t")
            try await server.deliver([
                shop.event(
                    1, "checkout.session.completed", at: Self.start,
                    shop.session("payment", user: "u1", intent: "pi_1", with: ["payment_link": "plink_pass"])),
                shop.event(2, "charge.refunded", at: Self.start + 60, shop.charge("pi_1", refunded: 250)),
            ])
            let answer = try await server.send("GET", Self.list, token: Self.reader)
            let expected =
                #"{"data":[{"user_id":"u1","source":"stripe","app":"stripe","environment":"Production","#
                + #""external_id":"pi_1","product_id":"card.pass","store_product_id":"plink_pass","quantity":1,"#
                + #""recorded_at":"2026-01-15T12:00:00Z","recorded_at_ms":1768478400000,"#
                + #""bound_at":"2026-01-15T12:00:00Z","bound_at_ms":1768478400001,"#
                + #""purchased_at":"2026-01-14T12:00:00Z","purchased_at_ms":1768392000000,"#
                + #""revoked_at":"2026-01-14T12:01:00Z","revoked_at_ms":1768392060000,"revoked_share":25025,"#
                + #""payments":[{"number":"pi_1","made_at":"2026-01-14T12:01:00Z","made_at_ms":1768392060000,"#
                + #""currency":"EUR","paid_milliunits":9990,"refunded_milliunits":2500,"paid_raw":null,"#
                + #""refunded_raw":null}]}],"next_cursor":null}"#
            #expect(answer.body == expected, "\(answer.body)")
        }
    }

    @Test func `a purchase of Apple's shows its price and what went back, a grant shows neither`() async throws {
        try await TestServer.runWithCards { server in
            try await server.grant(.addDays(30, of: TierID("pro")), as: "g1")
            for share in [nil, 33_333] as [Int?] {
                let state = VerifiedPurchase(
                    key: PurchaseKey(
                        source: .appleIAP, app: Fixture.app, environment: .sandbox, externalID: ExternalID("1")),
                    transactionID: TransactionID("1"), productID: ProductID("pass.30d"), type: .pass,
                    purchasedAt: Fixture.now, price: Price(milliunits: 4_990, currency: "USD"),
                    revocation: share.map { Revocation(revokedAt: Fixture.now, share: $0) },
                    signedAt: Fixture.now + (share == nil ? 0 : 1))
                try await server.open.sell(state, to: try Fixture.user())
            }
            let rows = try await server.rows(Self.list)
            #expect(rows.map(TestServer.words) == ["pass.30d (pass.30d) of u1: 4990 USD back 1663", "? (?) of u1: "])
            #expect(rows.map { $0["purchased_at_ms"]?.integer } == ["1768478400000", "1768478400000"])
            for path in ["/api/iap/purchases", "/api/admin/users/u1/purchases"] {
                let token = path.contains("admin") ? Self.reader : Fixture.token(of: "u1")
                let own = try await server.send("GET", path, token: token).json["data"]?.elements ?? []
                let payments = own.compactMap { $0["payments"]?.elements }
                #expect(payments.map(\.count).sorted() == [0, 1])
                #expect(payments.flatMap(\.self).map { $0["refunded_milliunits"]?.integer } == ["1663"])
            }
        }
    }

    @Test func `a user's own list shows what was paid by card, a line for each invoice`() async throws {
        try await TestServer.runWithCards { server in
            let account = CardAccount(tag: "t", currency: "jpy", price: 1_000)
            var (sale, events) = SimulatedCardSale.subscribe(
                to: "price_pro", by: "u1", until: Self.start + 3_600, isTrial: false, at: Self.start, of: account)
            events += try sale.renew(until: Self.end, at: Self.start + 3_600)
            events += try sale.refund(percent: 25, at: Self.start + 7_200)
            try await server.deliver(events)
            for path in ["/api/iap/purchases", "/api/admin/users/u1/purchases"] {
                let token = path.contains("admin") ? Self.reader : Fixture.token(of: "u1")
                let rows = try await server.send("GET", path, token: token).json["data"]?.elements ?? []
                let payments = rows.flatMap { $0["payments"]?.elements ?? [] }
                #expect(rows.count == 1)
                #expect(payments.map { $0["number"]?.string } == ["in_t_2", "in_t_1"])
                #expect(payments.map { $0["paid_milliunits"]?.integer } == ["1000000", "1000000"])
                #expect(payments.map { $0["refunded_milliunits"]?.integer } == ["250000", "0"])
            }
        }
    }

    @Test func `what is paid for a plan after it moved, the user who gave it away does not see`() async throws {
        try await TestServer.runWithCards { server in
            let (month, account) = (30 * 86_400 as Int64, CardAccount(tag: "t"))
            var (sale, events) = SimulatedCardSale.subscribe(
                to: "price_pro", by: "u1", until: Self.start + month, isTrial: false, at: Self.start, of: account)
            try await server.deliver(events)
            let moved = try await server.send(
                "POST", "/api/admin/users/u1/transfer", #"{"to_user_id":"u2","all":true,"reason":"r"}"#,
                token: Fixture.apiKey(.write), fields: [("Idempotency-Key", "k1")])
            #expect(moved.status == 200, "\(moved.body)")
            server.wait(hours: 30 * 24)
            events = try sale.renew(until: Self.start + 2 * month, at: Self.start + month)
            try await server.deliver(events)
            for (user, numbers) in [("u1", ["in_t_1"]), ("u2", ["in_t_2", "in_t_1"])] {
                let answer = try await server.send("GET", "/api/iap/purchases", token: Fixture.token(of: user))
                let rows = try answer.json["data"]?.elements ?? []
                let payments = rows.flatMap { $0["payments"]?.elements ?? [] }
                #expect(payments.map { $0["number"]?.string } == numbers, "\(user): \(answer.body)")
            }
        }
    }

    // MARK: Filters

    @Test func `the list can be cut by user, product, source, environment and time`() async throws {
        try await TestServer.runWithCards { server in
            try await server.sell("pass.30d", as: "a1", .pass)
            try await server.sell("pass.31d", as: "a2", .pass, to: "u2", in: .sandbox)
            server.wait(hours: 1)
            let shop = CardAccount(tag: "t")
            try await server.deliver([
                shop.event(
                    1, "checkout.session.completed", at: Self.start,
                    shop.session("payment", user: "u1", intent: "pi_1", with: ["payment_link": "plink_pass"])),
                shop.event(
                    2, "customer.subscription.created", at: Self.start,
                    shop.subscription("active", from: Self.start, until: Self.end, price: "price_new")),
            ])
            try await server.grant(.addDays(30, of: TierID("pro")), as: "g1", to: "u2")
            let filters: [(String, [String])] = [
                ("", ["g1", "sub_t", "pi_1", "a2", "a1"]),
                ("user_id=u1", ["pi_1", "a1"]), ("user_id=u2", ["g1", "a2"]), ("user_id=u9", []),
                ("source=apple_iap", ["a2", "a1"]), ("source=stripe", ["sub_t", "pi_1"]), ("source=manual", ["g1"]),
                ("environment=Sandbox", ["a2"]), ("product_id=card.pass", ["pi_1"]),
                ("product_id=plink_pass", ["pi_1"]), ("product_id=price_new", ["sub_t"]),
                ("product_id=pass.31d", ["a2"]), ("product_id=pass.30d", ["a1"]), ("product_id=nothing", []),
                ("since=2026-01-15T13:00:00Z", ["g1", "sub_t", "pi_1"]), ("since=2026-01-15T14:00:00Z", []),
                ("user_id=u1&source=stripe&environment=Production&product_id=card.pass", ["pi_1"]),
            ]
            for (query, expected) in filters {
                for limit in [1, 2, 100] {
                    let rows = try await server.rows(Self.list + "?" + query, limit: limit)
                    #expect(rows.map { $0["external_id"]?.string } == expected, "\(query) \(limit)")
                }
            }
        }
    }

    @Test func `a bad filter is refused by its name, and so is the key of a stranger`() async throws {
        try await TestServer.run { server in
            for (query, name) in [
                ("user_id=", "user_id"), ("source=paypal", "source"), ("source=Stripe", "source"),
                ("environment=sandbox", "environment"), ("since=yesterday", "since"), ("limit=0", "limit"),
                ("cursor=x", "cursor"), ("who=me", "who"), ("product_id=a&product_id=b", "product_id"),
            ] {
                try await server.expectRefusal(
                    400, "invalid_request", "GET", Self.list + "?" + query, at: "?" + name, token: Self.reader)
            }
            try await server.expectRefusal(401, "unauthenticated", "GET", Self.list)
            for scope in APIKeyScope.allCases {
                let answer = try await server.send("GET", Self.list, token: Fixture.apiKey(scope))
                #expect(answer.status == (scope == .audit ? 403 : 200))
            }
        }
    }
}
