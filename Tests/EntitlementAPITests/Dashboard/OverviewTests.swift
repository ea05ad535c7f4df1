import Entitlements
import LedgerStore
import MariaDB
import NIOHTTP1
import StrictJSON
import Support
import Testing

@testable import EntitlementAPI

/// The overview's numbers, and the lists of users behind them.
@Suite(.serialized) struct OverviewTests {
    /// Users of three sources, one in the sandbox lane, one whose access is over, and one who never had any.
    private static func people(_ server: TestServer) async throws {
        for number in 1...3 { try await server.sell("pass.30d", as: "p\(number)", .pass, to: "u\(number)") }
        try await server.sell("pass.30d", as: "s1", .pass, to: "sand", in: .sandbox)
        let end = Fixture.now + 5 * Instant.millisecondsPerDay
        try await server.grant(.until(end, of: TierID("pro")), as: "g1", to: "gift")
        try await server.sell("pass.30d", as: "gone", .pass, to: "over", revoked: Revocation.fullShare)
        try await server.sell("mystery", as: "x", .pass, to: "never")
    }

    @Test func `each number opens the list of just these users`() async throws {
        try await Browser.visiting { server, client in
            try await Self.people(server)
            let browser = try await Browser.signedIn(.viewer, at: server, client)
            let page = try await browser.page("/dashboard/overview")
            let links = page.all("a").filter { $0.attributes["href"]?.hasPrefix("/dashboard/users?state=") == true }
            #expect(links.count == 6, "\(page.text)")
            for link in links {
                let list = try await browser.page(link.attributes["href"] ?? "")
                #expect(String(list.rowNames.count) == link.text, "\(link.attributes["href"] ?? "")")
            }
            let summary = try await server.send("GET", "/api/admin/summary", token: Fixture.apiKey(.read)).json
            let users = summary["users"]?.integer ?? "?"
            #expect(users == "7" && page.text.contains("7 users"))
            for words in ["Sandbox", "pro", "Never had access", "Counted from what every user has now."] {
                #expect(page.text.contains(words), "\(words)")
            }
        }
    }

    @Test func `what ends by day is a picture, a table, and a list for each day`() async throws {
        try await Browser.visiting { server, client in
            try await Self.people(server)
            let browser = try await Browser.signedIn(.viewer, at: server, client)
            let page = try await browser.page("/dashboard/overview")
            let links = page.all("a").filter { $0.attributes["href"]?.contains("ends_after") == true }
            var seen = 0
            for link in links {
                let list = try await browser.page(link.attributes["href"] ?? "")
                #expect(String(list.rowNames.count) == link.text)
                seen += list.rowNames.count
            }
            let summary = try await server.send("GET", "/api/admin/summary", token: Fixture.apiKey(.read)).json
            let ending = summary["ending"]?.elements?.compactMap { $0["users"]?.integer }.compactMap { Int($0) } ?? []
            #expect(ending.count == 30 && seen == ending.reduce(0, +) && seen >= 1)
            let bars = page.all("rect").filter { $0.attributes["class"] == "ending-bar" }
            #expect(bars.count == ending.count { $0 > 0 })
            #expect(bars.allSatisfy { $0.attributes["x"]?.hasSuffix("%") == true })
        }
    }

    @Test func `users are listed on pages, in both orders, and by the beginning of an id`() async throws {
        try await Browser.visiting { server, client in
            for number in 1...70 {
                try await server.grant(
                    .until(Fixture.now + Int64(number) * Instant.millisecondsPerDay, of: TierID("pro")),
                    as: "g\(number)", to: "u\(number)")
            }
            let browser = try await Browser.signedIn(.viewer, at: server, client)
            for query in ["", "?order=end", "?q=u1", "?source=manual&tier=pro", "?ends_before=2026-01-20"] {
                let wanted = try await server.rows(
                    "/api/admin/users" + query.replacing("2026-01-20", with: "2026-01-21T00:00:00Z")
                ).compactMap { $0["user_id"]?.string }
                var (seen, path): ([String], String?) = ([], "/dashboard/users" + query)
                while let place = path {
                    let page = try await browser.page(place)
                    seen += page.rowNames
                    path = page.link("Next page")
                }
                #expect(seen == wanted && !seen.isEmpty, "\(query)")
            }
            let odd = try await browser.page("/dashboard/users?from=garbage&tier=no-such&state=no")
            #expect(odd.rowNames.count == 50, "what cannot be chosen is left out")
        }
    }

    @Test func `where the catalogue has several apps, a list says which`() async throws {
        let apps = [Fixture.app, AppID("com.example.other")]
        let two = CatalogueVersions(
            first: CatalogueVersions.Version(
                number: 3, effectiveAt: .distantPast, catalogue: Fixture.catalogue(of: apps)))
        try await Browser.visiting(catalogue: two) { server, client in
            try await server.sell("mystery", as: "x1", .pass)
            let browser = try await Browser.signedIn(.viewer, at: server, client)
            #expect(try await browser.page("/dashboard/anomalies").text.contains("com.example.app"))
            #expect(try await browser.page("/dashboard").text.contains("com.example.app"))
            #expect(try await browser.page("/dashboard/catalogue").text.contains("com.example.other"))
        }
        try await Browser.visiting { server, client in
            try await server.sell("mystery", as: "x1", .pass)
            let browser = try await Browser.signedIn(.viewer, at: server, client)
            #expect(try await !browser.page("/dashboard/anomalies").text.contains("com.example.app"))
        }
    }
}
