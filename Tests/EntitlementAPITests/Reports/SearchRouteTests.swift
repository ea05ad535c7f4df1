import Entitlements
import LedgerStore
import StrictJSON
import Support
import Testing

@testable import EntitlementAPI

/// The search says what a text names and whose it is, in pages, and the same at the command line.
struct SearchRouteTests {
    private static let search = "/api/admin/search?q="

    /// Deliveries of Stripe about `pi_1` that mention `ch_1`. Throws when the database is away.
    private static func deliver(_ count: Int, _ server: TestServer) async throws {
        for number in 1...count {
            _ = try await server.open.store.inbox.receive(
                InboxDelivery(
                    source: .stripe, app: .cards, environment: .production, externalID: "evt_\(number)",
                    type: "charge.refunded", subtype: nil, signedAt: Fixture.now, about: ExternalID("pi_1"),
                    mentioning: ["ch_1"], text: .body(Array("\(number)".utf8)),
                    contentDigest: [UInt8](repeating: UInt8(number), count: 32)))
        }
    }

    @Test func `kinds come in their order, deliveries the newest first, and every page of any size goes on`()
        async throws
    {
        try await TestServer.run { server in
            for user in ["ch_1", "ch_12", "ch_1|3"] { try await server.sell("pass.30d", as: user, .pass, to: user) }
            try await server.grant(.addDays(3, of: TierID("pro")), as: "ch_1", to: "ch_12")
            try await Self.deliver(3, server)
            let whole = try await server.send("GET", Self.search + "ch_1", token: Fixture.apiKey(.read)).json
            let rows = try #require(whole["data"]?.elements)
            let lines = rows.map { row in
                ["kind", "user_id", "external_id", "notification_id"].compactMap { row[$0]?.string }
                    .joined(separator: " ")
            }
            #expect(
                lines == [
                    "user ch_1", "user ch_12", "user ch_1|3", "purchase ch_1 ch_1", "grant ch_12 ch_1",
                    "transaction ch_1 ch_1", "delivery pi_1 evt_3", "delivery pi_1 evt_2", "delivery pi_1 evt_1",
                ])
            #expect(rows[8]["delivery_id"]?.string?.isEmpty == false && rows[0]["delivery_id"]?.isNull == true)
            #expect(rows[4]["source"]?.string == "manual" && rows[4]["app"]?.isNull == true)
            let document = try await server.open.store.reports.search("ch_1", under: server.open.store.labels)
            #expect(try JSONValue(StrictJSON(SearchRoute.document(of: document))).source == whole.source)
            for limit in 1...9 {
                var (pages, place) = ([JSONValue](), String?.none)
                repeat {
                    let path = Self.search + "ch_1&limit=\(limit)" + (place.map { "&cursor=" + $0 } ?? "")
                    let page = try await server.send("GET", path, token: Fixture.apiKey(.read)).json
                    pages += page["data"]?.elements ?? []
                    place = page["next_cursor"]?.string
                } while place != nil
                #expect(pages.map { Array($0.source) } == rows.map { Array($0.source) }, "\(limit)")
            }
        }
    }

    @Test func `an erased person has no name in what is found`() async throws {
        try await TestServer.run { server in
            try await server.sell("pass.30d", as: "pi_1", .pass, to: "anna")
            try await Self.deliver(1, server)
            let erased = try await server.send(
                "POST", "/api/admin/users/anna/erase", #"{"reason":"r"}"#, token: Fixture.apiKey(.admin),
                fields: [("Idempotency-Key", "k")])
            #expect(erased.status == 204)
            for text in ["anna", "ann", "pi_1", "ch_1", "evt_1"] {
                let found = try await server.send("GET", Self.search + text, token: Fixture.apiKey(.read))
                #expect(found.status == 200 && !found.body.contains("anna"), "\(found.body)")
            }
        }
    }

    @Test func `a search without a text, or with one too long, is refused`() async throws {
        try await TestServer.run { server in
            for query in ["", "?q=", "?q=" + String(repeating: "a", count: 256), "?q=a&q=b"] {
                try await server.expectRefusal(
                    400, "invalid_request", "GET", "/api/admin/search" + query, at: "?q", token: Fixture.apiKey(.read))
            }
            try await server.expectRefusal(
                401, "unauthenticated", "GET", Self.search + "a", token: Fixture.token(of: "u1"))
        }
    }
}
