import AppStore
import Entitlements
import LedgerStore
import MariaDB
import StoreSimulator
import StrictJSON
import Support
import Testing

@testable import EntitlementAPI

/// CONSUMPTION_REQUEST is answered from the ledger (`semantics.md` §5).
struct ConsumptionAnswerTests {
    private static let delivered =
        #"{"customerConsented":true,"sampleContentProvided":false,"deliveryStatus":"DELIVERED""#

    @Test func `seventy of a hundred credits spent, a prorated refund asked for, and its refund leaves no debt`()
        async throws
    {
        try await ConsumptionShop.open(ConsumptionPolicy(preference: .grantProrated)) { shop in
            let lot = shop.sale("1001")
            try await shop.attach(lot)
            try await shop.consent()
            try await shop.spend(70)
            try await shop.ask(lot)
            #expect(
                shop.apple.bodies
                    == [Self.delivered + #","consumptionPercentage":70000,"refundPreference":"GRANT_PRORATED"}"#])
            #expect(shop.apple.paths == ["/inApps/v2/transactions/consumption/1001"])
            let row = try #require(try await shop.listed("?user_id=u1&state=answered").first)
            #expect(row["consumed_share"]?.integer == "70000" && row["refund_preference"]?.string == "grant_prorated")
            #expect(row["delivered"]?.flag == true && row["consented"]?.flag == true && row["reason"]?.isNull == true)
            #expect(row["transaction_id"]?.string == "1001" && row["external_id"]?.string == "1001")
            #expect(row["asked_at"]?.string == "2026-01-15T12:00:00Z")
            #expect(row["deadline"]?.string == "2026-01-15T12:05:00Z")
            #expect(row["decided_at"]?.string == "2026-01-15T12:00:00Z" && row["apple_error"]?.isNull == true)
            try await shop.notify(
                .refund, lot.refunded(at: shop.server.clock.now.milliseconds, percentage: 30_000))
            let credits = try await shop.server.send("GET", "/api/credits").json["data"]?.elements?.first
            #expect(credits?["debt"]?.integer == "0" && credits?["spendable"]?.integer == "0", "\(credits as Any)")
            #expect(try await shop.jobs() == 0)
        }
    }

    @Test func `without consent nothing is sent, whether it was never given or taken back before the answer`()
        async throws
    {
        try await ConsumptionShop.open { shop in
            let pass = shop.sale("1001", "pass.30d", .nonRenewingSubscription)
            try await shop.attach(pass)
            try await shop.ask(pass)
            #expect(try await shop.outcome() == ["unanswered", "no_consent"])
            try await shop.ask(pass)
            #expect(try await shop.outcome() == ["unanswered", "no_consent"])
            #expect(shop.apple.bodies.isEmpty)
            try await shop.consent()
            try await shop.ask(pass)
            #expect(try await shop.outcome() == ["answered", nil], "a repeat opens the question again")
            #expect(try await shop.listed().count == 1 && shop.apple.bodies.count == 1)
            shop.server.wait(hours: 1)
            try await shop.notify(.consumptionRequest, pass)
            try await shop.consent(false)
            try await shop.answers.answer(question: shop.asked())
            #expect(try await shop.outcome() == ["unanswered", "no_consent"])
            #expect(try await shop.listed().map { $0["consented"]?.flag } == [false, true])
            #expect(shop.apple.bodies.count == 1)
            #expect(try await shop.jobs() == 0)
        }
    }

    @Test func `an answer that may have arrived is told again in the same words`() async throws {
        try await ConsumptionShop.open { shop in
            let lot = shop.sale("1001")
            try await shop.attach(lot)
            try await shop.consent()
            try await shop.spend(10)
            try await shop.notify(.consumptionRequest, lot)
            shop.apple.fail(.unreachable("the answer broke off"))
            await #expect(throws: StoreHistory.Failure.self) { try await shop.answers.answer(question: shop.asked()) }
            try await shop.spend(20)
            try await shop.answers.answer(question: shop.asked())
            #expect(shop.apple.bodies.count == 2 && Set(shop.apple.bodies).count == 1, "\(shop.apple.bodies)")
            #expect(try await shop.listed().first?["consumed_share"]?.integer == "10000")
        }
    }

    @Test func `of a pass the time that it ran is told, of an add-on and a plan no share`() async throws {
        try await ConsumptionShop.open(ConsumptionPolicy(preference: .grantFull, providesSamples: true)) { shop in
            try await shop.consent()
            let passes = [
                shop.sale("1001", "pass.30d", .nonRenewingSubscription),
                shop.sale("1002", "pass.30d", .nonRenewingSubscription),
            ]
            let plan = SimulatedTransaction.subscription(
                "1003", of: "annual3", group: "g", bundleId: Fixture.app.text, at: passes[0].purchaseDate,
                until: passes[0].purchaseDate + 365 * Instant.millisecondsPerDay)
            let sales =
                passes + [
                    plan, shop.sale("1004", "addon", .nonConsumable), shop.sale("1005", "unheard.of", .consumable),
                ]
            for sale in sales { try await shop.attach(sale) }
            for sale in sales { try await shop.ask(sale) }
            let told = shop.apple.bodies.map { body in
                let json = try? JSONBody(Array(body.utf8)).value  // nil fails the comparison
                return [json?["deliveryStatus"]?.string, json?["consumptionPercentage"]?.integer]
            }
            #expect(
                told == [
                    ["DELIVERED", "16666"], ["DELIVERED", "0"], ["DELIVERED", nil], ["DELIVERED", nil],
                    ["UNDELIVERED_OTHER", "0"],
                ])
            #expect(shop.apple.bodies.allSatisfy { $0.contains(#""refundPreference":"GRANT_FULL""#) })
            #expect(shop.apple.bodies.allSatisfy { $0.contains(#""sampleContentProvided":true"#) })
        }
    }

    @Test func `an answer after the deadline is not sent, and says so`() async throws {
        try await ConsumptionShop.open { shop in
            let lot = shop.sale("1001")
            try await shop.attach(lot)
            try await shop.consent()
            try await shop.notify(.consumptionRequest, lot)
            shop.server.clock.now = shop.server.clock.now + 300_000
            try await shop.answers.answer(question: shop.asked())
            #expect(try await shop.outcome() == ["unanswered", "late"])
            #expect(shop.apple.bodies.isEmpty)
        }
    }

    @Test func `while Apple is away the question stays open, and is answered once, or is late in the end`() async throws
    {
        try await ConsumptionShop.open { shop in
            let lot = shop.sale("1001")
            try await shop.attach(lot)
            try await shop.consent()
            try await shop.notify(.consumptionRequest, lot)
            let id = try await shop.asked()
            let failures: [AppStoreServerFailure] = [
                .unreachable("away"), .keyNotAccepted, .paused(until: Fixture.now), .refused(code: 4_040_002),
            ]
            for failure in failures {
                shop.apple.fail(failure)
                do throws(StoreHistory.Failure) {
                    try await shop.answers.answer(question: id)
                    Issue.record("\(failure) was taken for an answer")
                } catch {
                    #expect(error.isPassing, "\(failure)")
                }
                #expect(try await shop.outcome() == ["open", nil])
                #expect(try await shop.jobs() == 1)
            }
            try await shop.answers.answer(question: id)
            #expect(try await shop.outcome() == ["answered", nil])
            try await shop.answers.answer(question: id)
            #expect(shop.apple.bodies.count == failures.count + 1, "what is answered is left alone")
            shop.server.wait(hours: 1)
            try await shop.notify(.consumptionRequest, lot)
            shop.apple.fail(.unreachable("away"))
            await #expect(throws: StoreHistory.Failure.self) { try await shop.answers.answer(question: shop.asked()) }
            shop.server.wait(hours: 1)
            try await shop.answers.answer(question: shop.asked())
            #expect(try await shop.outcome() == ["unanswered", "late"])
        }
    }

    @Test func `a refusal of Apple is kept as its code, beside what was told`() async throws {
        try await ConsumptionShop.open { shop in
            let lot = shop.sale("1001")
            try await shop.attach(lot)
            try await shop.consent()
            shop.apple.fail(.refused(code: 4_000_047))
            try await shop.ask(lot)
            #expect(try await shop.outcome() == ["unanswered", "refused"])
            let row = try #require(try await shop.listed().first)
            #expect(row["apple_error"]?.integer == "4000047" && row["consumed_share"]?.integer == "0")
            try await shop.answers.answer(question: shop.asked())
            #expect(shop.apple.bodies.count == 1)
        }
    }

    @Test func `after a transfer the present owner's consent and ledger count`() async throws {
        try await ConsumptionShop.open { shop in
            let lot = shop.sale("1001")
            try await shop.attach(lot)
            try await shop.consent()
            try await shop.notify(.consumptionRequest, lot)
            try await shop.act("transfer", #"{"to_user_id":"u2","external_id":"1001","reason":"r"}"#)
            try await shop.answers.answer(question: shop.asked())
            #expect(try await shop.outcome() == ["unanswered", "no_consent"], "only the giver had consented")
            #expect(try await shop.listed("?user_id=u2").count == 1)
            shop.server.wait(hours: 1)
            try await shop.consent(true, "u2")
            try await shop.consent(false)
            try await shop.spend(25, of: "u2")
            try await shop.ask(lot)
            #expect(shop.apple.bodies == [Self.delivered + #","consumptionPercentage":25000}"#])
        }
    }

    @Test func `a purchase that moves or whose owner is erased while Apple is asked is told once`() async throws {
        for isErased in [true, false] {
            try await ConsumptionShop.open { shop in
                let lot = shop.sale("1001")
                try await shop.attach(lot)
                try await shop.consent()
                try await shop.notify(.consumptionRequest, lot)
                let id = try await shop.asked()
                shop.apple.onAsk {
                    try await isErased
                        ? shop.act("erase", #"{"reason":"r"}"#, .admin)
                        : shop.act("transfer", #"{"to_user_id":"u2","external_id":"1001","reason":"r"}"#)
                }
                try await shop.answers.answer(question: id)
                try await shop.answers.answer(question: id)
                #expect(shop.apple.bodies.count == 1)
                let rows = try await shop.listed()
                #expect(rows.map { $0["user_id"]?.string } == (isErased ? [] : ["u1"]), "it was about u1")
                #expect(try await shop.jobs() == 0)
            }
        }
    }

    @Test func `a repeat is answered once somebody has the purchase, and what is answered is not opened again`()
        async throws
    {
        try await ConsumptionShop.open { shop in
            let lot = shop.sale("1001")
            try await shop.ask(lot)
            #expect(try await shop.outcome() == ["unanswered", "unowned"])
            try await shop.attach(lot)
            try await shop.consent()
            for _ in 1...2 {
                try await shop.ask(lot)
                #expect(try await shop.outcome() == ["answered", nil])
            }
            #expect(try await shop.listed().count == 1 && shop.apple.bodies.count == 1)
            #expect(try await shop.jobs() == 0)
        }
    }

    @Test func `nothing is told about an erased person, nor about what nobody has or is refunded`() async throws {
        try await ConsumptionShop.open { shop in
            let (lot, free) = (shop.sale("1001"), shop.sale("1002"))
            try await shop.attach(lot)
            try await shop.consent()
            #expect(try await shop.notify(.consumptionRequest, free) == "parked")
            try await shop.answers.answer(question: shop.asked())
            #expect(try await shop.outcome() == ["unanswered", "unowned"])
            shop.server.wait(hours: 1)
            try await shop.ask(lot.refunded(at: shop.server.clock.now.milliseconds))
            #expect(try await shop.outcome() == ["unanswered", "refunded"])
            shop.server.wait(hours: 1)
            try await shop.notify(.consumptionRequest, lot)
            let open = try await shop.asked()
            try await shop.act("erase", #"{"reason":"r"}"#, .admin)
            try await shop.answers.answer(question: open)
            #expect(try await shop.listed().map { $0["reason"]?.string } == ["unowned"], "the person's are gone")
            shop.server.wait(hours: 1)
            try await shop.ask(lot)
            #expect(try await shop.outcome() == ["unanswered", "erased"])
            #expect(try await shop.listed().allSatisfy { $0["user_id"]?.isNull == true })
            #expect(shop.apple.bodies.isEmpty)
            #expect(try await shop.jobs() == 0)
        }
    }

    @Test func `without credentials nothing is asked or told`() async throws {
        try await ConsumptionShop.open { shop in
            let lot = shop.sale("1001")
            try await shop.attach(lot)
            try await shop.notify(.consumptionRequest, lot)
            let answers = try ConsumptionShop.answers(shop.server, asking: nil)
            try await answers.answer(question: shop.asked())
            try await answers.tellToken(ofPurchase: 1)
            #expect(try await shop.outcome() == ["unanswered", "not_configured"])
        }
    }

    @Test func `other notifications ask nothing`() async throws {
        try await ConsumptionShop.open { shop in
            let lot = shop.sale("1001")
            try await shop.attach(lot)
            for type in [NotificationType.oneTimeCharge, .refundDeclined] { try await shop.notify(type, lot) }
            #expect(try await shop.listed().isEmpty)
            #expect(try await shop.jobs() == 0)
        }
    }

    // MARK: The account token

    @Test func `the owner's token is told once Apple's account was proven, and a refusal ends it`() async throws {
        try await ConsumptionShop.open { shop in
            var pass = shop.sale("1001", "pass.30d", .nonRenewingSubscription)
            pass.appTransactionId = "704897469903383919"
            var account = SimulatedAppTransaction(bundleId: Fixture.app.text, at: Fixture.now.milliseconds)
            account.appTransactionId = pass.appTransactionId
            let body =
                #"{"signedTransactionJWS":"\#(try shop.server.authority.sign(pass).text)","#
                + #""signedAppTransaction":"\#(try shop.server.authority.sign(account).text)"}"#
            let answer = try await shop.server.send("POST", "/api/iap/apple/transactions/attach", body)
            #expect(answer.status == 200, "\(answer.body)")
            let rows = try await shop.server.open.schema.rows(
                "SELECT j.subject FROM jobs j JOIN purchases p ON p.id = j.subject WHERE j.kind = 'account_token'")
            guard case .uint64(let purchase)? = rows.first?.first else { throw Fixture.Missing() }
            shop.apple.fail(.unreachable("away"), .refused(code: 4_000_185))
            await #expect(throws: StoreHistory.Failure.self) {
                try await shop.answers.tellToken(ofPurchase: purchase)
            }
            for _ in 1...2 { try await shop.answers.tellToken(ofPurchase: purchase) }
            let issued = try await shop.server.send("GET", "/api/iap/apple/account-token")
            let token = try #require(try issued.json["app_account_token"]?.string)
            #expect(shop.apple.bodies == Array(repeating: #"{"appAccountToken":"\#(token.lowercased())"}"#, count: 3))
            #expect(Set(shop.apple.paths) == ["/inApps/v1/transactions/1001/appAccountToken"])
            try await shop.act("erase", #"{"reason":"r"}"#, .admin)
            try await shop.answers.tellToken(ofPurchase: purchase)
            #expect(shop.apple.bodies.count == 3, "an erased person gets none")
        }
    }

    // MARK: The list

    @Test func `the list is filtered and paged, and refuses what it does not know`() async throws {
        try await ConsumptionShop.open { shop in
            for number in 1...3 {
                let lot = shop.sale("100\(number)")
                try await shop.attach(lot, to: number == 2 ? "u2" : "u1")
                try await shop.notify(.consumptionRequest, lot)
            }
            try await shop.answers.answer(question: shop.asked())
            func ids(_ query: String) async throws -> [String?] {
                try await shop.listed(query).map { $0["transaction_id"]?.string }
            }
            #expect(try await ids("") == ["1003", "1002", "1001"])
            #expect(try await ids("?state=open") == ["1002", "1001"])
            #expect(try await ids("?state=unanswered&user_id=u1") == ["1003"])
            #expect(try await ids("?user_id=u2") == ["1002"])
            #expect(try await ids("?user_id=nobody") == [])
            let first = try await shop.server.send(
                "GET", ConsumptionShop.list + "?limit=2", token: Fixture.apiKey(.read))
            let cursor = try #require(try first.json["next_cursor"]?.string)
            #expect(try await ids("?limit=2&cursor=" + cursor) == ["1001"])
            for (query, at) in [
                ("state=all", "?state"), ("user_id=a%20b", "?user_id"), ("limit=0", "?limit"), ("cursor=x", "?cursor"),
                ("stat=open", "?stat"),
            ] {
                try await shop.server.expectRefusal(
                    400, "invalid_request", "GET", ConsumptionShop.list + "?" + query, at: at,
                    token: Fixture.apiKey(.read))
            }
            for token in [Fixture.token(of: "u1"), "x"] {
                let answer = try await shop.server.send("GET", ConsumptionShop.list, token: token)
                #expect(answer.status == 401 || answer.status == 403, "\(answer.body)")
            }
        }
    }
}
