import AppStore
import Entitlements
import LedgerStore
import MariaDB
import NIOHTTP1
import StoreSimulator
import StrictJSON
import Support
import Testing

@testable import EntitlementAPI

/// The list of users and the summary, asked for as an operator's dashboard asks.
struct UsersRouteTests {
    private static let users = "/api/admin/users"
    private static let reader = Fixture.apiKey(.read)
    private static let day = Instant.millisecondsPerDay

    /// Five users, the newest of whom is `eve`; `dora` has had nothing yet, and `bob` is erased.
    private static func withUsers(_ body: @Sendable (TestServer) async throws -> Void) async throws {
        try await TestServer.run { server in
            try await server.sell("pass.30d", as: "p1", .pass, to: "alice")
            try await server.sell("pass.30d", as: "p2", .pass, to: "bob")
            server.wait(hours: 1)
            try await server.sell("pass.30d", as: "p3", .pass, to: "alan", in: .sandbox)
            try await server.grant(.addDays(3, of: TierID("pro")), as: "g1", to: "carol")
            try await server.sellCredits("c1", to: "dora")
            try await server.sellBefore(days: 40, as: "p5", to: "eve")
            let erased = try await server.send(
                "POST", users + "/bob/erase", #"{"reason":"asked"}"#, token: Fixture.apiKey(.admin),
                fields: [("Idempotency-Key", "k")])
            #expect(erased.status == 204, "\(erased.body)")
            try await body(server)
        }
    }

    /// The ids on all pages of a list.
    private static func listed(_ query: String, limit: Int = 100, _ server: TestServer) async throws -> [String?] {
        var (ids, next, count) = ([String?](), Optional(""), 0)
        while let cursor = next, count < 20 {
            let path = "\(users)?limit=\(limit)&\(query)" + (cursor.isEmpty ? "" : "&cursor=" + cursor)
            let answer = try await server.send("GET", path, token: reader)
            #expect(answer.status == 200, "\(path): \(answer.body)")
            let json = try answer.json
            ids += json["data"]?.elements?.map { $0["user_id"]?.string } ?? []
            #expect(json["overdue"]?.integer == "0")
            next = json["next_cursor"]?.string
            count += 1
        }
        return ids
    }

    @Test func `a row says what the status says, and when the user was first seen`() async throws {
        try await Self.withUsers { server in
            let answer = try await server.send("GET", Self.users + "?q=alice", token: Self.reader)
            #expect(
                answer.body
                    == #"{"data":[{"user_id":"alice","state":"active","tier":"pro","tier_rank":2,"source":"apple_iap","#
                    + #""product_id":"pass.30d","environment":"Production","expires_at":"2026-02-14T12:00:00Z","#
                    + #""expires_at_ms":1771070400000,"access_expires_at":"2026-02-14T12:00:00Z","#
                    + #""access_expires_at_ms":1771070400000,"first_seen_at":"2026-01-15T12:00:00Z","#
                    + #""first_seen_at_ms":1768478400000}],"next_cursor":null,"overdue":0}"#)
            let nothing = try await server.send("GET", Self.users + "?q=dora", token: Self.reader)
            #expect(
                nothing.body
                    == #"{"data":[{"user_id":"dora","state":"none","tier":"free","tier_rank":0,"source":null,"#
                    + #""product_id":null,"environment":null,"expires_at":null,"expires_at_ms":null,"#
                    + #""access_expires_at":null,"access_expires_at_ms":null,"first_seen_at":"2026-01-15T13:00:00Z","#
                    + #""first_seen_at_ms":1768482000000}],"next_cursor":null,"overdue":0}"#)
        }
    }

    /// The users that each query lists.
    private static let filtered: [(query: String, ids: [String])] = [
        ("", ["eve", "dora", "carol", "alan", "alice"]),
        ("order=newest", ["eve", "dora", "carol", "alan", "alice"]),
        ("order=end", ["eve", "carol", "alice", "alan"]),
        ("q=al", ["alan", "alice"]), ("q=a&environment=Sandbox", ["alan"]), ("q=Al", []), ("q=alice1", []),
        ("state=active", ["carol", "alan", "alice"]), ("state=expired", ["eve"]), ("state=none", ["dora"]),
        ("state=grace", []), ("tier=free", ["eve", "dora"]), ("tier=pro", ["carol", "alan", "alice"]),
        ("source=manual", ["carol"]), ("source=apple_iap", ["eve", "alan", "alice"]), ("source=stripe", []),
        ("environment=Sandbox", ["alan"]), ("environment=Production", ["eve", "carol", "alice"]),
        ("ends_after=2026-02-14T12:00:00Z", ["alan", "alice"]),
        ("ends_after=2026-02-14T12:00:00.001Z", []),
        ("ends_before=2026-02-14T12:00:00Z", ["eve", "carol"]),
        ("ends_before=2026-02-14T13:00:00%2B01:00&order=end", ["eve", "carol"]),
        ("ends_after=2026-01-15T00:00:00Z&ends_before=2026-02-14T12:00:00Z", ["carol"]),
        (
            "ends_after=2026-01-15T00:00:00Z&ends_before=2026-02-14T12:00:00.001Z&order=end",
            ["carol", "alice", "alan"]
        ),
        ("state=active&tier=pro&source=apple_iap&environment=Production", ["alice"]),
        ("state=active&order=end&ends_after=2026-02-01T00:00:00Z", ["alice", "alan"]),
    ]

    @Test func `users are listed by each filter, alone and together, in each order, page by page`() async throws {
        try await Self.withUsers { server in
            for (query, ids) in Self.filtered {
                for limit in [1, 2, 5] {
                    let listed = try await Self.listed(query, limit: limit, server)
                    #expect(listed == ids, "\(query) by \(limit)")
                }
            }
        }
    }

    @Test func `a bad value is refused by its name`() async throws {
        try await TestServer.run { server in
            let instant = "2026-01-15T12:00:00Z"
            for (name, values) in [
                ("state", ["", "Active", "lapsed", "active,grace", "active%20"]),
                ("tier", ["", "Pro", "platinum", "pro%00", "pr%C3%B6"]),
                ("source", ["", "apple", "all", "apple_iap,stripe"]),
                ("environment", ["", "production", "Xcode", "all"]),
                ("ends_after", ["", "now", "1768478400000", "2026-01-15", "2026-02-30T00:00:00Z"]),
                ("ends_before", ["", "soon", "1768478400", "2026-01-15T12:00:00"]),
                ("ends_before", ["\(instant)&ends_after=\(instant)", "2026-01-15T11:00:00Z&ends_after=\(instant)"]),
                ("q", ["", "-a", "a%20b", "%25", "%23", "z%C3%B6e", String(repeating: "a", count: 129)]),
                ("order", ["", "oldest", "end,newest", "end&q=a", "newest&q=a"]),
                ("limit", ["", "0", "101", "x"]), ("cursor", ["", "x", "AAAA"]),
            ] {
                for value in values {
                    try await server.expectRefusal(
                        400, "invalid_request", "GET", Self.users + "?\(name)=\(value)", at: "?" + name,
                        token: Self.reader)
                }
            }
            try await server.expectRefusal(
                400, "invalid_request", "GET", "/api/admin/summary?days=7", at: "?days", token: Self.reader)
        }
    }

    @Test func `a cursor goes on in its own order, and is refused in another`() async throws {
        try await Self.withUsers { server in
            var cursors: [String: String] = [:]
            for query in ["order=newest", "order=end", "q=a"] {
                let page = try await server.send("GET", "\(Self.users)?limit=1&\(query)", token: Self.reader).json
                cursors[query] = try #require(page["next_cursor"]?.string)
            }
            cursors["audit"] = CursorText.encode("audit", ["7"])
            for query in ["order=newest", "order=end", "q=a", "q=b"] {
                for (other, cursor) in cursors where other != query {
                    try await server.expectRefusal(
                        400, "invalid_request", "GET", "\(Self.users)?\(query)&cursor=\(cursor)", at: "?cursor",
                        token: Self.reader)
                }
            }
            for parts in [["1", "+7"], ["1", "07"], ["x", "7"], ["7"], ["1", "7", "9"]] {
                let cursor = CursorText.encode("users by end", parts)
                try await server.expectRefusal(
                    400, "invalid_request", "GET", "\(Self.users)?order=end&cursor=\(cursor)", at: "?cursor",
                    token: Self.reader)
            }
        }
    }

    @Test func `the summary counts by state, tier, source and environment, and by the day of the end`() async throws {
        try await Self.withUsers { server in
            let json = try await server.send("GET", "/api/admin/summary", token: Self.reader).json
            #expect(json["as_of"]?.string == "2026-01-15T13:00:00Z" && json["as_of_ms"]?.integer == "1768482000000")
            #expect(json["users"]?.integer == "5" && json["overdue"]?.integer == "0")
            let groups = json["groups"]?.elements?.map { group in
                ["state", "tier", "source", "environment"].map { group[$0]?.string ?? "-" }.joined(separator: " ")
                    + " " + (group["users"]?.integer ?? "")
            }
            #expect(
                groups == [
                    "active pro apple_iap Production 1", "active pro apple_iap Sandbox 1",
                    "active pro manual Production 1", "expired free apple_iap Production 1", "none free - - 1",
                ])
            let ending = try #require(json["ending"]?.elements)
            #expect(ending.count == 30)
            #expect(ending.first?["day"]?.string == "2026-01-15" && ending.last?["day"]?.string == "2026-02-13")
            let days = ending.filter { $0["users"]?.integer != "0" }
            #expect(days.map { $0["day"]?.string } == ["2026-01-18"])
            server.wait(hours: 24)
            let next = try await server.send("GET", "/api/admin/summary", token: Self.reader).json["ending"]?.elements
            #expect(next?.last?["day"]?.string == "2026-02-14" && next?.last?["users"]?.integer == "2")
        }
    }

    @Test func `what time has changed is told as overdue until it is made anew`() async throws {
        try await Self.withUsers { server in
            server.wait(hours: 24 * 31)
            for path in [Self.users, "/api/admin/summary"] {
                #expect(try await server.send("GET", path, token: Self.reader).json["overdue"]?.integer == "3")
            }
            while try await server.open.store.standings.makeDueAnew() > 0 {}
            #expect(try await Self.listed("state=expired", server) == ["eve", "carol", "alan", "alice"])
        }
    }

    @Test func `a server lists the purchases of a user as the user does`() async throws {
        try await Self.withUsers { server in
            try await server.sell("addon", as: "p9", .addOn, to: "alice")
            for query in ["", "?limit=1", "?at=2027-01-01T00:00:00Z", "?known_at=2026-01-15T12:30:00Z"] {
                let own = try await server.send(
                    "GET", "/api/iap/purchases" + query, token: Fixture.token(of: "alice"))
                let told = try await server.send("GET", Self.users + "/alice/purchases" + query, token: Self.reader)
                #expect(told.status == 200 && told.body == own.body, "\(query)")
            }
            let page = try await server.send("GET", Self.users + "/alice/purchases?limit=1", token: Self.reader).json
            let cursor = try #require(page["next_cursor"]?.string)
            let rest = try await server.send(
                "GET", Self.users + "/alice/purchases?cursor=" + cursor, token: Self.reader)
            #expect(try rest.json["data"]?.elements?.count == 1)
            let nobody = try await server.send("GET", Self.users + "/nobody/purchases", token: Self.reader)
            #expect(nobody.body == #"{"data":[],"next_cursor":null}"#)
            try await server.expectRefusal(
                404, "not_found", "GET", Self.users + "/a%20b/purchases", token: Self.reader)
            try await server.expectRefusal(
                400, "invalid_request", "GET", Self.users + "/alice/purchases?at=soon", at: "?at", token: Self.reader)
        }
    }
}

/// Users of whom nothing is recorded.
extension UsersRouteTests {
    private static let status = "/api/iap/apple/status"

    @Test func `a status says whether the user is known, under a tag of its own`() async throws {
        try await TestServer.run { server in
            for query in ["", "?history=1", "?explain=1"] {
                let before = try await server.send("GET", Self.status + query)
                #expect(before.body.hasPrefix(#"{"user_id":"u1","known":false,"at":"2026-01-15T12:00:00Z","#))
            }
            let unknown = try await server.send("GET", Self.status)
            _ = try await server.send("GET", "/api/iap/apple/account-token")
            #expect(try await server.send("GET", Self.status).body == unknown.body, "a token is no entry of a ledger")
            let consent = try await server.send(
                "PUT", "/api/iap/apple/consumption-consent", #"{"consented":true}"#)
            #expect(consent.status == 200, "\(consent.body)")
            #expect(try await Self.listed("", server) == ["u1"])
            let tag = try #require(unknown.headers.first(name: "etag"))
            for query in ["", "", "?history=1", "?explain=1"] {
                let known = try await server.send("GET", Self.status + query, fields: [("If-None-Match", tag)])
                #expect(known.status == 200 && known.headers.first(name: "etag") != tag)
                #expect(known.body.hasPrefix(#"{"user_id":"u1","known":true,"at":"2026-01-15T12:00:00Z","#))
            }
            let known = try await server.send("GET", Self.status)
            #expect(known.body.replacing(#""known":true"#, with: #""known":false"#) == unknown.body)
            let earlier = try await server.send("GET", Self.status + "?known_at=2026-01-01T00:00:00Z")
            #expect(earlier.body.contains(#""known":false"#))
            let told = try await server.send("GET", "/api/admin/users/u1/status", token: Self.reader)
            #expect(told.body == known.body)
        }
    }

    @Test func `a status that was folded is kept behind the request, and only one of the present`() async throws {
        try await TestServer.run { server in
            try await server.sell("pass.30d", as: "p1", .pass, to: "u1")
            let schema = try server.open.schema
            for table in ["standings", "standing_answers"] { try await schema.rows("TRUNCATE TABLE \(table)") }
            let asOf = try await server.send("GET", Self.status + "?at=2026-01-16T12:00:00Z")
            #expect(asOf.status == 200 && asOf.body.contains(#""active":true"#))
            let folded = try await server.send("GET", Self.status)
            for _ in 0..<500 where try await schema.counts()["standings"] == 0 {
                try await Task.sleep(for: .milliseconds(10))
            }
            let from = try await schema.rows("SELECT valid_from, ledger_length FROM standing_answers")
            #expect(from == [[.int64(Fixture.now.milliseconds), .uint64(2)]])
            #expect(try await server.send("GET", Self.status).body == folded.body)
        }
    }

    @Test func `an answer of more than 64 KiB is not stored, and is right all the same`() async throws {
        try await TestServer.run { server in
            let open = try server.open
            for number in 1...110 {
                try await server.sell("pass.30d", as: "p\(number)", .pass)
                guard number > 90 else { continue }
                let timeline = Timeline(
                    folding: try await server.ledger(), given: Fixture.catalogue, settings: Fixture.settings)
                let bytes = StatusBody.answer(timeline.status(at: server.clock.now)).substance.count
                let stored = try await open.schema.number("SELECT LENGTH(body) FROM standing_answers")
                #expect(stored == (bytes <= 64 << 10 ? bytes : -1), "\(number) purchases")
            }
            #expect(try await open.schema.rows("SELECT body FROM standing_answers") == [[.null]])
            let known = Self.status + "?known_at=2027-01-01T00:00:00Z"
            let folded = try await server.send("GET", known)
            #expect(folded.body.utf8.count > 64 << 10)
            for _ in 0..<2 { #expect(try await server.send("GET", Self.status).body == folded.body) }
            let row = try await server.send("GET", Self.users + "?q=u1", token: Self.reader).json
            #expect(row["overdue"]?.integer == "0" && row["data"]?.elements?.first?["state"]?.string == "active")
            server.wait(hours: 24 * 31)
            #expect(try await open.store.standings.makeDueAnew() == 1)
            #expect(try await open.store.standings.makeDueAnew() == 0)
            let later = try await server.send("GET", known)
            #expect(try await server.send("GET", Self.status).body == later.body && later.body != folded.body)
        }
    }

    @Test func `an attach knows the user, and a restore of nothing genuine does not`() async throws {
        try await TestServer.run { server in
            let restored = try await server.send(
                "POST", "/api/iap/apple/restore", #"{"signedTransactions":["forged"]}"#)
            #expect(restored.status == 200 && restored.body.contains(#""status":{"user_id":"u1","known":false,"at":"#))
            let text = try server.authority.sign(Fixture.pass()).text
            for _ in 0..<2 {
                let attached = try await server.send(
                    "POST", "/api/iap/apple/transactions/attach", #"{"signedTransactionJWS":"\#(text)"}"#)
                #expect(attached.body.contains(#""status":{"user_id":"u1","known":true,"at":"#), "\(attached.body)")
            }
            let again = try await server.send(
                "POST", "/api/iap/apple/restore", #"{"signedTransactions":["\#(text)"]}"#)
            #expect(again.body.contains(#""status":{"user_id":"u1","known":true,"at":"#))
        }
    }
}
