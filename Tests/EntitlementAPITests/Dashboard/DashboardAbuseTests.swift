import AsyncHTTPClient
import Dashboard
import Entitlements
import LedgerStore
import NIOHTTP1
import Support
import Synchronization
import Testing

@testable import EntitlementAPI

/// Requests that no page of the dashboard makes, and more of them than people send (`threats.md` T27, T30).
@Suite(.serialized) struct DashboardAbuseTests {
    @Test func `numbers, instants and places of any size in a query leave the server standing`() async throws {
        try await Browser.visiting { server, client in
            try await server.sell("pass.30d", as: "p1", .pass)
            let owner = try await Browser.signedIn(.owner, at: server, client)
            let values = [
                "9223372036854775807", "-9223372036854775808", "18446744073709551615", "-1", "1e308", "nan",
                "0001-01-01", "9999-12-31T23:59:59Z", "99999-01-01", "%00", "%F0%9F%98%80",
            ]
            let pages = [
                "users/u1", "users", "deliveries", "jobs", "anomalies", "late-passes", "conflicts", "testers",
                "reconciliations", "refund-questions", "catalogue", "api-keys", "staff", "audit", "search", "purchase",
                "overview",
            ]
            let names = [
                "bought", "facts", "range", "at", "known_at", "before", "after", "since", "until", "ends_from",
                "ends_to", "user_id", "q", "order", "page", "purchase",
            ]
            for page in pages {
                for value in values {
                    let query = names.map { "\($0)=\(value)" }.joined(separator: "&")
                    let answer = try await owner.get("/dashboard/\(page)?\(query)")
                    #expect([200, 303, 404, 422].contains(answer.status), "\(page)?\(query): \(answer.status)")
                }
            }
            for start in ["9223372036854775807", "-9223372036854775808"] {
                let page = try await owner.page("/dashboard/users/u1?bought=\(start)")
                #expect(page.all("h1").count == 1, "\(start)")
            }
        }
    }

    @Test(arguments: ["9223372036854775807", "-9223372036854775808", "many"])
    func `a count of earlier steps that no step gave leaves the server standing`(given: String) async throws {
        try await Browser.visiting { server, client in
            try await server.sell("pass.30d", as: "p1", .pass)
            server.wait(hours: 2)
            let browser = try await Browser.signedIn(.support, at: server, client)
            let path = "/dashboard/compensations"
            let answer = try await browser.press(
                path, on: path,
                [
                    "from": "2026-01-15 12:00", "to": "2026-01-15 13:00", "hours": "48", "reference": "outage-1",
                    "reason": "sorry", "act": "give", "given": given,
                ])
            #expect(answer.status == 200 && answer.body.contains("got time"))
        }
    }

    @Test func `a moment is the past also where the other instant cannot be read`() async throws {
        try await Browser.visiting { server, client in
            try await server.sell("pass.30d", as: "p1", .pass)
            let browser = try await Browser.signedIn(.support, at: server, client)
            let page = try await browser.page("/dashboard/users/u1?at=2026-01-10&known_at=oops")
            #expect(page.text.contains("What the app would have been told"))
            #expect(!page.text.contains("Give days"), "nobody acts on the past")
            let now = try await browser.page("/dashboard/users/u1?at=oops")
            #expect(now.text.contains("What the app is told now") && now.text.contains("Give days"))
        }
    }

    @Test func `amounts are shown of every purchase of a page, and not on a page of another moment`() async throws {
        try await Browser.visiting { server, client in
            for number in 1...120 {
                let key = PurchaseKey(
                    source: .appleIAP, app: Fixture.app, environment: .production, externalID: ExternalID("p\(number)"))
                try await server.open.sell(
                    VerifiedPurchase(
                        key: key, transactionID: TransactionID("p\(number)"), productID: ProductID("pass.30d"),
                        type: .pass, purchasedAt: Fixture.now, price: Price(milliunits: 9_990, currency: "EUR"),
                        signedAt: Fixture.now), to: try Fixture.user())
            }
            let browser = try await Browser.signedIn(.viewer, at: server, client)
            var path = "/dashboard/users/u1"
            for count in [100, 20] {
                let page = try await browser.page(path)
                let amounts = page.all("td").filter { $0.attributes["data-l"] == "Paid" }
                #expect(amounts.count == count && amounts.allSatisfy { $0.text == "€9.99" })
                path = page.all("a").compactMap { $0.attributes["href"] }.first { $0.contains("bought=") } ?? ""
            }
            let then = try await browser.page("/dashboard/users/u1?at=2026-01-16")
            #expect(then.all("td").allSatisfy { $0.attributes["data-l"] != "Paid" })
        }
    }

    @Test func `of many right passwords at once none counts as a failure, though the desk is full`() async throws {
        try await Browser.visiting { server, client in
            _ = try await Browser.signedIn(named: "mara", at: server, client)
            let browsers = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<40 {
                    group.addTask { try await Browser(server, client).signIn("mara").status }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(browsers.allSatisfy { $0 == 303 || $0 == 429 } && browsers.contains(303))
            let failures = try await server.open.schema.number("SELECT COUNT(*) FROM staff_tries WHERE succeeded = 0")
            #expect(failures == 0)
        }
    }

    /// 10,000 tries in a soak.
    @Test func `thousands of tries from many networks let nobody in, and nobody waits who signed in before`()
        async throws
    {
        try await Browser.visiting { server, client in
            _ = try await Browser.signedIn(named: "mara", at: server, client)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for attacker in 0..<6 {
                    group.addTask {
                        for number in 0..<(TestRun.isSoak ? 1_667 : 167) {
                            let network = "203.0.\(attacker).\(number % 40)"
                            let name = number % 2 == 0 ? "mara" : "name\(number)"
                            let answer = try await Browser(server, client, network: network).signIn(name, "wrong wrong")
                            #expect(answer.status == 403 || answer.status == 429)
                        }
                    }
                }
                for _ in 0..<20 { #expect(try await Browser(server, client).signIn("mara").status == 303) }
                try await group.waitForAll()
            }
            #expect(try await Browser(server, client).signIn("mara").status == 303)
        }
    }

    @Test func `failures from many networks hold a try up for some seconds, and refuse none`() async throws {
        let held = Mutex<[Int64]>([])
        let dashboard = Browser.dashboard { milliseconds in held.withLock { $0.append(milliseconds) } }
        try await Browser.visiting(dashboard: dashboard) { server, client in
            _ = try await Browser.signedIn(named: "mara", at: server, client)
            for network in 1...5 {
                let attacker = Browser(server, client, network: "203.0.113.\(network)")
                for _ in 0..<4 { #expect(try await attacker.signIn("mara", "wrong wrong wrong").status == 403) }
            }
            #expect(try await Browser(server, client).signIn("mara").status == 303, "this network is known")
            #expect(held.withLock { $0 } == [])
            #expect(try await Browser(server, client, network: "198.51.100.7").signIn("mara").status == 303)
            #expect(held.withLock { $0 } == [5_000])
        }
    }

    @Test func `a network may send thirty passwords a minute, and another one as many`() async throws {
        let client = HTTPClient(
            eventLoopGroupProvider: .singleton, configuration: .init(redirectConfiguration: .disallow))
        do {
            try await TestServer.run(adding: Browser.dashboard.endpoints) { server in
                var statuses: [Int] = []
                for number in 0..<31 {
                    statuses.append(try await Browser(server, client).signIn("name\(number)").status)
                }
                #expect(statuses == Array(repeating: 403, count: 30) + [429])
                #expect(try await Browser(server, client).get("/dashboard/sign-in").status == 200)
                let other = Browser(server, client, network: "198.51.100.7")
                #expect(try await other.signIn("nobody").status == 403)
            }
        } catch {
            try await client.shutdown()
            throw error
        }
        try await client.shutdown()
    }

    @Test func `whoever is signed out while a form is open comes back to its page`() async throws {
        try await Browser.visiting { server, client in
            try await server.sell("pass.30d", as: "p1", .pass)
            let browser = try await Browser.signedIn(.support, at: server, client)
            let form = "/dashboard/users/u1/acts/give-days"
            let token = Browser.formToken(in: try await browser.get(form).body) ?? ""
            _ = try await server.open.store.staff.signOut("mara", by: .commandLine)
            let body = "form_token=" + Browser.encoded(token)
            for (referer, place) in [
                (Browser.origin + form, "/dashboard/sign-in?then=%2Fdashboard%2Fusers%2Fu1%2Facts%2Fgive-days"),
                ("https://evil.example" + form, "/dashboard/sign-in"), ("", "/dashboard/sign-in"),
            ] {
                let sent = try await browser.send(
                    "POST", form + "/confirm", body,
                    [
                        ("Content-Type", "application/x-www-form-urlencoded"), ("Origin", Browser.origin),
                        ("Referer", referer),
                    ])
                #expect(sent.status == 303 && sent.headers["location"] == [place], "\(referer)")
            }
        }
    }

    @Test func `a page that is not there, or not for this role, keeps the frame of whoever is signed in`() async throws
    {
        try await Browser.visiting { server, client in
            let browser = try await Browser.signedIn(.viewer, at: server, client)
            for (path, status) in [("/dashboard/nowhere", 404), ("/dashboard/audit", 403)] {
                let answer = try await browser.get(path)
                let page = try ParsedPage(answer.body)
                #expect(answer.status == status, "\(path)")
                #expect(page.text.contains("mara") && page.all("input").contains { $0.attributes["name"] == "q" })
            }
        }
    }

    @Test func `a form makes one API key however often it is sent`() async throws {
        try await Browser.visiting { server, client in
            let owner = try await Browser.signedIn(.owner, at: server, client)
            let keys = "/dashboard/api-keys"
            let form = try await owner.get(keys).body
            let token = Browser.formToken(in: form) ?? ""
            let fields = ["name": "shop", "read": "1", "form_id": Browser.formID(in: form) ?? ""]
            let answers = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<16 {
                    group.addTask { try await owner.submit(keys, fields, token: token).status }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.count { $0 == 200 } == 1 && answers.allSatisfy { [200, 303, 409].contains($0) })
            #expect(try await owner.submit(keys, fields, token: token).status == 303)
            #expect(try await server.open.schema.number("SELECT COUNT(*) FROM api_keys WHERE name = 'shop'") == 1)
            let again = try await owner.get(keys + "?done=before")
            #expect(again.body.contains("its secret was shown once"))
            let other = try await owner.submit(keys, ["name": "shop", "read": "1"], token: token)
            #expect(other.status == 400, "a form without its id")
        }
    }

    @Test func `a filter that cannot be read gives no file`() async throws {
        try await Browser.visiting { server, client in
            let owner = try await Browser.signedIn(.owner, at: server, client)
            #expect(try await owner.get("/dashboard/audit.csv?since=01.11.2026").status == 400)
            #expect(try await owner.get("/dashboard/audit.csv?action=staff.signin").status == 400)
            #expect(try await owner.get("/dashboard/audit.csv?since=2026-01-01").status == 200)
        }
    }

    @Test func `a stranger's sign-out has nothing counted anew`() async throws {
        try await Browser.visiting { server, client in
            let owner = try await Browser.signedIn(.owner, at: server, client)
            let before = try await owner.page("/dashboard/testers").text
            _ = try await server.park("d1", type: "REFUND", subtype: "", body: "{}")
            let stranger = Browser(server, client)
            let token = Browser.formToken(in: try await stranger.get("/dashboard/sign-in").body) ?? ""
            #expect(try await stranger.submit("/dashboard/sign-out", [:], token: token).status == 303)
            #expect(try await owner.page("/dashboard/testers").text == before)
            server.clock.now = server.clock.now + 61_000
            #expect(try await owner.page("/dashboard/testers").text != before)
        }
    }
}
