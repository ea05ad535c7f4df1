import AppStore
import Entitlements
import LedgerStore
import NIOHTTP1
import StrictJSON
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
                "sandbox-testers", "conflicts",
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
