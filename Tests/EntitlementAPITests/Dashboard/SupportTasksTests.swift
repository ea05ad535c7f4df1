import AsyncHTTPClient
import Entitlements
import LedgerStore
import NIOHTTP1
import Support
import Testing

@testable import EntitlementAPI

/// The tasks that support has all day, each in at most four clicks after the search.
@Suite(.serialized) struct SupportTasksTests {
    /// A person of support, who begins with the search box and clicks on what pages show.
    private struct Clicking {
        let browser: Browser
        var page: ParsedPage
        private(set) var clicks = 0

        /// Searches, and follows the redirect to what was found. Throws when no whole answer came.
        init(_ browser: Browser, searching text: String) async throws {
            self.browser = browser
            let found = try await browser.get("/dashboard/search?q=" + Browser.encoded(text))
            page = try ParsedPage(try await Self.landed(found, browser).body)
        }

        private static func landed(_ answer: TestServer.Answer, _ browser: Browser) async throws -> TestServer.Answer {
            guard answer.status == 303, let place = answer.headers["location"].first else { return answer }
            return try await browser.get(place)
        }

        /// Clicks on the first link with this text. Throws if there is none.
        mutating func follow(_ text: String) async throws {
            let link = try #require(page.link(text), "no link \(text)")
            page = try ParsedPage(try await browser.get(link).body)
            clicks += 1
        }

        /// Fills in the form with this button, and clicks on it. Throws if there is none.
        mutating func press(_ button: String, typing fields: [String: String] = [:]) async throws {
            let place = try #require(
                page.elements.lastIndex { $0.name == "button" && $0.text == button },
                "no button \(button): \(page.text)")
            let form = try #require(page.elements[..<place].last { $0.name == "form" })
            var filled = try #require(ActWalk.form(form.attributes["action"] ?? "", in: page))
            filled.fields.merge(fields) { _, typed in typed }
            let sent = try await browser.submit(
                filled.action, filled.fields, token: filled.fields["form_token"] ?? "")
            page = try ParsedPage(try await Self.landed(sent, browser).body)
            clicks += 1
        }
    }

    private static let words = ["reason": "the app was down", "reference": "ticket-1"]

    @Test func `a purchase is found by its transaction id`() async throws {
        try await Browser.visiting { server, client in
            try await server.sell("pass.30d", as: "200000000000001", .pass)
            let browser = try await Browser.signedIn(.viewer, at: server, client)
            let support = try await Clicking(browser, searching: "200000000000001")
            #expect(support.page.text.contains("Customer u1") && support.page.text.contains("200000000000001"))
            #expect(support.clicks == 0)
        }
    }

    @Test func `the reason why nothing is unlocked, and the remedy`() async throws {
        try await Browser.visiting { server, client in
            try await server.sellBefore(days: 40, as: "200000000000002", to: "u2")
            let browser = try await Browser.signedIn(.support, at: server, client)
            var support = try await Clicking(browser, searching: "u2")
            #expect(support.page.text.contains("No access"))
            #expect(support.page.text.contains("before the app sent it for the first time"))
            try await support.follow("Make good")
            try await support.press("Preview", typing: Self.words)
            try await support.press("Make good 30-day pass")
            #expect(support.page.text.contains("Done.") && support.page.text.contains("Has pro until"))
            #expect(support.clicks <= 4)
        }
    }

    @Test func `three days are given`() async throws {
        try await Browser.visiting { server, client in
            try await server.sell("pass.30d", as: "p1", .pass)
            let browser = try await Browser.signedIn(.support, at: server, client)
            var support = try await Clicking(browser, searching: "u1")
            try await support.follow("Give days")
            try await support.press("Preview", typing: ["tier": "pro", "days": "3"].merging(Self.words) { $1 })
            try await support.press("Give 3 days of pro")
            #expect(support.page.text.contains("Done. Gave 3 days of pro."))
            #expect(support.clicks <= 4)
        }
    }

    @Test func `a purchase moves to another account`() async throws {
        try await Browser.visiting { server, client in
            try await server.sell("pass.30d", as: "p1", .pass)
            try await server.sell("pass.30d", as: "p2", .pass, to: "u2")
            let browser = try await Browser.signedIn(.support, at: server, client)
            var support = try await Clicking(browser, searching: "p1")
            try await support.follow("Move")
            try await support.press("Preview", typing: ["user": "u2"].merging(Self.words) { $1 })
            try await support.press("Move to u2")
            #expect(support.page.text.contains("Done. Moved to u2"))
            #expect(support.clicks <= 4)
        }
    }

    @Test func `what happened with a refund`() async throws {
        try await Browser.visiting { server, client in
            try await server.sell("pass.30d", as: "p1", .pass)
            server.wait(hours: 24)
            try await server.sell("pass.30d", as: "p1", .pass, revoked: 100_000)
            let browser = try await Browser.signedIn(.viewer, at: server, client)
            let support = try await Clicking(browser, searching: "p1")
            #expect(support.page.text.contains("The store refunded 30-day pass 1 in full."))
            #expect(support.page.text.contains("Refunded") && support.clicks == 0)
        }
    }
}
