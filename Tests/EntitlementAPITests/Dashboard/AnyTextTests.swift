import Dashboard
import Entitlements
import HTTPTypes
import LedgerStore
import Support
import Testing

@testable import EntitlementAPI

/// Every parameter takes every text: the answer is a list or a refusal, and never a fault of the server.
@Suite(.serialized) struct AnyTextTests {
    private static let texts = ["é", "e\u{301}", "日本", "😀", "＝", "\u{0}", "\u{202E}x", "?", "#é", "api_key:é", " "]

    private static func fill(_ server: TestServer) async throws {
        try await server.sell("pass.30d", as: "p1", .pass)
        try await server.sell("mystery", as: "p2", .pass)
        try await server.leave("p3")
        try await server.grant(.addDays(1, of: TierID("pro")), as: "g1")
        _ = try await server.giveUp(try await server.park("evt_1"))
    }

    @Test func `every parameter of every route takes any text`() async throws {
        try await TestServer.run(rateLimits: RateLimits(readPerMinute: 0)) { server in
            try await Self.fill(server)
            var asked = 0
            for endpoint in Routes.all where endpoint.method == .get {
                let path = endpoint.path.replacing("{user_id}", with: "u1")
                let token =
                    path.hasPrefix("/api/admin/") ? Fixture.apiKey(.admin) : Fixture.token(of: "u1")
                let isList = endpoint.parameters?.contains("cursor") ?? false
                for (name, text) in (endpoint.parameters ?? []).flatMap({ name in Self.texts.map { (name, $0) } }) {
                    let place = "\(path)?\(name)=\(Browser.encoded(text))"
                    let answer = try await server.send("GET", place, token: token)
                    #expect(
                        [200, 400].contains(answer.status) || !isList && answer.status == 404, "\(place): \(answer)")
                    asked += 1
                }
            }
            #expect(asked > 500)
        }
    }

    @Test func `every field of every page takes any text`() async throws {
        try await Browser.visiting { server, client in
            try await Self.fill(server)
            let browser = try await Browser.signedIn(.owner, at: server, client)
            var asked = 0
            for endpoint in Browser.dashboard.endpoints where endpoint.method == .get && !endpoint.path.contains("*") {
                let path = endpoint.path.replacing("{user_id}", with: "u1")
                guard !path.contains("{") else { continue }
                let first = try await browser.get(path)
                let fields = try path.hasSuffix(".csv") || first.status != 200 ? [] : ParsedPage(first.body).elements
                let names = Set(
                    fields.filter { ["input", "select", "textarea"].contains($0.name) }
                        .compactMap { $0.attributes["name"] } + ["before", "from", "q", "actor", "action", "id"])
                for (name, text) in names.sorted().flatMap({ name in Self.texts.map { (name, $0) } }) {
                    let place = "\(path)?\(name)=\(Browser.encoded(text))"
                    let answer = try await browser.get(place)
                    #expect(answer.status < 500, "\(place): \(answer.status)")
                    asked += 1
                }
            }
            for text in Self.texts {
                let names = ["source", "app", "id"].map { $0 + "=" + Browser.encoded(text) }.joined(separator: "&")
                let place = "/dashboard/purchase?environment=Production&\(names)"
                #expect(try await browser.get(place).status == 404, "\(place)")
            }
            #expect(asked > 1_000)
        }
    }
}
