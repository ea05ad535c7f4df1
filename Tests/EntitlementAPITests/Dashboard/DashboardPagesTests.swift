import AsyncHTTPClient
import Dashboard
import Entitlements
import LedgerStore
import NIOHTTP1
import Support
import Testing

@testable import EntitlementAPI

/// Each page for customers with stories, read by the rules of HTML.
@Suite(.serialized) struct DashboardPagesTests {
    private static let policy =
        "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; frame-ancestors 'none'; "
        + "base-uri 'none'"

    /// Fetches a page, and holds it to what every page is.
    private func page(_ path: String, _ browser: Browser, status: Int = 200) async throws -> ParsedPage {
        let answer = try await browser.get(path)
        #expect(answer.status == status, "\(path): \(answer.status) \(answer.body.prefix(300))")
        #expect(answer.headers["content-security-policy"] == [Self.policy])
        #expect(answer.headers["cache-control"] == ["no-store"])
        #expect(answer.headers["referrer-policy"] == ["same-origin"])
        #expect(answer.headers["x-content-type-options"] == ["nosniff"])
        #expect(answer.headers["content-type"] == ["text/html; charset=utf-8"])
        let page = try ParsedPage(answer.body)
        #expect(page.all("script").isEmpty && page.all("style").isEmpty && page.all("iframe").isEmpty, "\(path)")
        for element in page.elements {
            for name in element.attributes.keys {
                #expect(name != "style" && !name.hasPrefix("on"), "\(path): \(element.name) \(name)")
            }
        }
        #expect(page.all("h1").count == 1, "\(path): one h1")
        #expect(page.all("main").count == 1 && page.all("title").count == 1)
        let ids = page.elements.compactMap { $0.attributes["id"] }
        #expect(Set(ids).count == ids.count, "\(path): ids \(ids)")
        for element in page.elements {
            for name in ["aria-labelledby", "aria-describedby", "for"] {
                if let id = element.attributes[name] { #expect(ids.contains(id), "\(path): \(name)=\(id)") }
            }
            if element.name == "svg" {
                #expect(element.attributes["aria-hidden"] != nil || element.attributes["class"] == "over")
            }
        }
        let words = page.text
        #expect(!words.contains("{") || path.contains("hostile"), "\(path): a value is missing")
        return page
    }

    @Test func `the page of a customer says who has access, from what, until when, and why`() async throws {
        try await Browser.visiting { server, client in
            try await server.sell("pass.30d", as: "p1", .pass)
            try await server.sell("pass.30d", as: "p2", .pass)
            try await server.sell("addon", as: "a1", .addOn)
            try await server.sellCredits()
            try await server.sell("unknown", as: "x1", .pass)
            try await server.sell("pass.30d", as: "gone", .pass, to: "u2", revoked: Revocation.fullShare)
            try await server.sell("pass.30d", as: "s1", .pass, to: "u3", in: .sandbox)
            try await server.grant(.until(Fixture.now + 90 * Instant.millisecondsPerDay, of: TierID("pro")), as: "g1")
            server.wait(hours: 1)
            let browser = try await Browser.signedIn(at: server, client)
            let first = try await page("/dashboard/users/u1", browser)
            let verdict = first.all("h1")[0].text
            #expect(verdict.hasPrefix("Has pro until"), "\(verdict)")
            for words in [
                "30-day pass", "Gives nothing, and why", "The catalogue in force has no such product.",
                "What the app is told now", "100 left", "The same as a table", "Given by hand", "Running", "To come",
            ] { #expect(first.text.contains(words), "\(words)") }
            #expect(first.all("figure").count == 1 && first.all("figcaption").count == 1)
            #expect(!first.all("rect").isEmpty && !first.all("circle").isEmpty)

            for (name, roles) in [
                ("tr", ["row"]), ("td", ["cell"]), ("th", ["columnheader", "rowheader"]), ("tbody", ["rowgroup"]),
            ] {
                let plain = first.all(name).filter { !roles.contains($0.attributes["role"] ?? "") }
                #expect(plain.isEmpty, "\(name): \(plain.map(\.text))")
            }
            #expect(first.link("All") == "/dashboard/deliveries?user_id=u1")

            let refunded = try await page("/dashboard/users/u2", browser)
            #expect(refunded.text.contains("Refunded") && !refunded.text.contains("Revoked"))
            #expect(refunded.link("Give days") == "/dashboard/users/u2/acts/give-days")
            #expect(refunded.all("h1")[0].text.hasPrefix("No access"))
            #expect(refunded.text.contains("What would change it") && refunded.text.contains("The store refunded it."))
            let sandbox = try await page("/dashboard/users/u3", browser)
            #expect(sandbox.text.contains("Sandbox"))
            let never = try await page("/dashboard/users/nobody", browser)
            #expect(never.all("h1")[0].text == "Never had access.")
            _ = try await page("/dashboard", browser)
            _ = try await page("/dashboard/users/not%20a%20user", browser, status: 404)
            _ = try await page("/dashboard/nowhere/at/all", browser, status: 404)
            _ = try await page("/dashboard/sign-in", Browser(server, client))
        }
    }

    @Test func `a plan that renews is not said to end, and a withdrawal is no refund`() async throws {
        try await Browser.visiting { server, client in
            let ends = Fixture.now + 20 * Instant.millisecondsPerDay
            for (id, user) in [("s1", "u1"), ("s3", "u3")] {
                let plan = VerifiedPurchase(
                    key: PurchaseKey(
                        source: .appleIAP, app: Fixture.app, environment: .production, externalID: ExternalID(id)),
                    transactionID: TransactionID(id), productID: ProductID("annual3"), type: .plan,
                    purchasedAt: Fixture.now, expiresAt: ends, signedAt: Fixture.now)
                try await server.open.sell(plan, to: try Fixture.user(user))
            }
            try await server.sell("pass.30d", as: "p3", .pass, to: "u3")
            try await server.sell("pass.30d", as: "p2", .pass, to: "u2")
            server.wait(hours: 1)
            let browser = try await Browser.signedIn(.support, at: server, client)
            let renewing = try await page("/dashboard/users/u1", browser)
            #expect(renewing.text.contains("plan annual_3 renews. If it is not paid, access ends."))
            #expect(!renewing.text.contains("Access ends."))
            let overlaid = try await page("/dashboard/users/u3", browser)
            #expect(overlaid.text.contains("Access ends, unless pro, plan annual_3 renews before."))
            try await ActWalk(browser, "revoke", on: "u2").act(
                ["purchase": "apple_iap \(Fixture.app.text) Production p2", "reason": "a mistake"])
            let revoked = try await page("/dashboard/users/u2", browser)
            #expect(revoked.all("h1")[0].text.contains("the purchase was revoked by hand."))
            let parts = [
                "Revoked by mara on 15\u{A0}January\u{A0}2026: “a mistake”.", "An operator revoked it.",
                "A reversal by the store would not undo",
            ]
            for words in parts { #expect(revoked.text.contains(words), "\(words)") }
        }
    }

    @Test func `many passes are drawn by tier, with words for what lies outside the picture`() async throws {
        try await Browser.visiting { server, client in
            for number in 1...14 { try await server.sell("pass.30d", as: "p\(number)", .pass) }
            let browser = try await Browser.signedIn(.viewer, at: server, client)
            let shown = try await page("/dashboard/users/u1?at=2026-12-20", browser)
            for words in [
                "Passes by tier, 14 bought", "older not drawn", "since 15\u{A0}January\u{A0}2026", "will be told then",
            ] { #expect(shown.text.contains(words), "\(words)") }
        }
    }

    @Test func `a page shows another moment, in the past, as it was known then`() async throws {
        try await Browser.visiting { server, client in
            try await server.sell("pass.30d", as: "p1", .pass)
            server.wait(hours: 24 * 40)
            let browser = try await Browser.signedIn(at: server, client)
            let now = try await page("/dashboard/users/u1", browser)
            #expect(now.all("h1")[0].text.hasPrefix("No access since"))
            let then = try await page("/dashboard/users/u1?at=2026-01-20+10%3A00", browser)
            #expect(then.all("h1")[0].text.hasPrefix("Had pro until"), "\(then.all("h1")[0].text)")
            #expect(then.text.contains("Back to now"))
            let ahead = try await page("/dashboard/users/u1?at=2026-09-20", browser)
            #expect(ahead.all("h1")[0].text.hasPrefix("Will have no access since"))
            #expect(ahead.text.contains("What the app will be told then"))
            #expect(now.text.contains("What would change it") && !ahead.text.contains("What would change it"))
            let before = try await page("/dashboard/users/u1?at=2026-01-20&known_at=2026-01-01", browser)
            #expect(before.all("h1")[0].text == "Never had access.")
            let wrong = try await page("/dashboard/users/u1?at=tomorrow", browser)
            #expect(wrong.text.contains("That is no moment."))
        }
    }

    @Test func `one hit opens its page, several are a list, and none says where to look`() async throws {
        try await Browser.visiting { server, client in
            try await server.sell("pass.30d", as: "2000000123456789", .pass)
            try await server.sell("pass.30d", as: "p9", .pass, to: "u10")
            let nobodys = VerifiedPurchase(
                key: PurchaseKey(
                    source: .appleIAP, app: Fixture.app, environment: .production, externalID: ExternalID("orphan")),
                transactionID: TransactionID("orphan"), productID: ProductID("pass.30d"), type: .pass,
                purchasedAt: Fixture.now, signedAt: Fixture.now)
            try await server.open.sell(nobodys)
            let browser = try await Browser.signedIn(.viewer, at: server, client)
            let hit = try await browser.get("/dashboard/search?q=2000000123456789")
            #expect(hit.status == 303 && hit.headers["location"] == ["/dashboard/users/u1"])
            let list = try await page("/dashboard/search?q=u1", browser)
            #expect(list.text.contains("u10"))
            let orphan = try await browser.get("/dashboard/search?q=orphan")
            #expect(orphan.status == 303)
            let place = orphan.headers["location"].first ?? ""
            #expect(try await page(place, browser).text.contains("belongs to nobody"))
            let known = try await page(place, browser)
            for words in ["30-day pass", "Bought", "15\u{A0}Jan 12:00", "Paid"] {
                #expect(known.text.contains(words), "\(words)")
            }
            #expect(try await page("/dashboard", browser).all("a").allSatisfy { $0.text != "Bind to…" }, "a viewer")
            let foreign = "/dashboard/purchase?source=%C3%A9&app=x&environment=Production&id=%C3%A9"
            _ = try await page(foreign, browser, status: 404)
            for (text, words) in [
                ("nothing-here", "Nothing recorded here"), ("a%40b.example", "Gatepass stores none"),
                ("MHX4L7K2ZP", "order id"),
            ] { #expect(try await page("/dashboard/search?q=" + text, browser).text.contains(words), "\(text)") }
            #expect(
                try await page("/dashboard/search?q=MHX4L7K2ZP", browser).text.contains(
                    "Once App Store credentials are set up"))
            let parked = try await server.park("evt_unknown")
            let delivery = try await browser.get("/dashboard/search?q=evt_unknown")
            #expect(delivery.headers["location"] == ["/dashboard/deliveries?before=\(parked + 1)"])
            #expect(try await browser.get("/dashboard/search?q=+").headers["location"] == ["/dashboard"])
        }
    }

    @Test func `reading pages writes nothing, and issues no account token`() async throws {
        try await Browser.visiting { server, client in
            try await server.sell("pass.30d", as: "p1", .pass)
            let browser = try await Browser.signedIn(at: server, client)
            let before = try await server.open.schema.dump()
            for path in [
                "", "/users/u1", "/users/nobody", "/search?q=p1", "/sign-in", "/nowhere", "/users/u1?at=2026-01-20",
            ] {
                _ = try await browser.get("/dashboard" + path)
            }
            #expect(try await server.open.schema.dump() == before)
        }
    }

    @Test func `hostile texts of users and operators are texts on the pages`() async throws {
        try await Browser.visiting { server, client in
            let browser = try await Browser.signedIn(at: server, client)
            let user = try Fixture.user("hostile")
            let texts = HostileTexts.all.filter { !$0.isEmpty }
            for (number, text) in texts.enumerated() {
                let id = ExternalID("g\(number)")
                let given = try await server.open.store.ledger.record(for: [user], keys: [Grant.key(id)]) {
                    OperatorAct(on: user, note: Note(actor: "ann " + text, reason: text, reference: text))
                        .give(.credits(1, unit: "credit"), as: id, given: $0, in: $1)
                }
                #expect(throws: Never.self) { try given.answer.get() }
            }
            var seen = ""
            var before = texts.count * 2 + 1
            while before > 1 {
                let shown = try await page("/dashboard/users/hostile?facts=\(before)", browser)
                seen += shown.text
                before -= 20
            }
            for text in texts {
                #expect(Self.contains(Array(seen.utf8), "“" + text + "”"), "\(text.debugDescription)")
            }
            for text in texts.prefix(60) {
                let answer = try await browser.get(
                    "/dashboard/search?q="
                        + text.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())
                #expect(answer.status == 200 || answer.status == 303)
                if answer.status == 200 { _ = try ParsedPage(answer.body) }
            }
        }
    }

    /// True if the bytes of `text` stand in `bytes`.
    private static func contains(_ bytes: [UInt8], _ text: String) -> Bool {
        let wanted = Array(text.utf8)
        return bytes.indices.contains { start in
            bytes[start] == wanted[0] && bytes[start...].starts(with: wanted)
        }
    }

    @Test func `a product that no catalogue knows has one name on all pages, the store's own`() async throws {
        try await Browser.visiting { server, client in
            try await server.sell("mystery.7d", as: "p1", .pass)
            try await server.leave("p2", of: "mystery.7d")
            let browser = try await Browser.signedIn(at: server, client)
            let place = "source=apple_iap&app=\(Fixture.app.text)&environment=Production&id=p2"
            for path in ["anomalies", "users/u1", "users/u1/acts/revoke", "purchase?" + place] {
                let page = try await page("/dashboard/" + path, browser)
                #expect(page.text.contains("mystery.7d"), "\(path): \(page.text)")
                #expect(!page.text.contains("Bought p1"), "\(path)")
            }
        }
    }

    @Test func `the stylesheet is kept for ever under the name of its content`() async throws {
        try await Browser.visiting { server, client in
            let browser = Browser(server, client)
            let page = try ParsedPage(try await browser.get("/dashboard/sign-in").body)
            let link = page.all("link").first { $0.attributes["rel"] == "stylesheet" }?.attributes["href"] ?? ""
            let style = try await browser.get(link)
            #expect(style.status == 200 && style.headers["content-type"] == ["text/css; charset=utf-8"])
            #expect(style.headers["cache-control"] == ["public, max-age=31536000, immutable"])
            let tag = style.headers["etag"].first ?? ""
            #expect(tag.hasPrefix("\"") && tag.count > 8)
            let again = try await browser.send("GET", link, nil, [("If-None-Match", tag)])
            #expect(again.status == 304 && again.body.isEmpty)
            #expect(try await browser.get("/dashboard/style/other.css").status == 404)
            #expect(style.body.count { $0 == "{" } == style.body.count { $0 == "}" })
        }
    }

    @Test func `with the database away a page says so and keeps its frame`() async throws {
        try await TestServer.run(isOpen: false, adding: Browser.dashboard.endpoints) { server in
            let token = Base64URL.encode([UInt8](repeating: 7, count: 32))
            let answer = try await server.send(
                "GET", "/dashboard", token: nil, fields: [("Cookie", "gatepass_dev=" + token)])
            #expect(answer.status == 503 && answer.headers["retry-after"].first != nil)
            let page = try ParsedPage(answer.body)
            #expect(page.text.contains("The database cannot be reached") && page.all("nav").count == 1)
        }
    }
}
