import AppStore
import Entitlements
import LedgerStore
import StrictJSON
import Support
import Testing

@testable import EntitlementAPI

/// Timelines and explanations say what Apple was told about refunds, or why nothing was.
struct ConsumptionToldTests {
    private static let timeline = "/api/admin/users/u1/timeline"
    private static let answered =
        "Apple asked about a refund of transaction 1001 and was told: delivered, 70 % used, no refund wanted."

    /// A shop in which 70 of 100 credits were spent before Apple asked about them, and 5 after.
    private static func asked(_ body: @Sendable (ConsumptionShop) async throws -> Void) async throws {
        try await ConsumptionShop.open(ConsumptionPolicy(preference: .decline)) { shop in
            let lot = shop.sale("1001")
            try await shop.attach(lot)
            try await shop.consent()
            try await shop.spend(70)
            shop.server.wait(hours: 1)
            try await shop.ask(lot)
            shop.server.wait(hours: 1)
            try await shop.spend(5)
            try await body(shop)
        }
    }

    private static func rows(
        _ shop: ConsumptionShop, _ query: String = ""
    ) async throws -> (rows: [JSONValue], cursor: String?) {
        let answer = try await shop.server.send("GET", timeline + query, token: Fixture.apiKey(.read))
        #expect(answer.status == 200, "\(answer.body)")
        let json = try answer.json
        return (json["data"]?.elements ?? [], json["next_cursor"]?.string)
    }

    private static func explained(_ shop: ConsumptionShop, _ query: String = "") async throws -> [String]? {
        let answer = try await shop.server.send(
            "GET", "/api/admin/users/u1/status?explain=1" + query, token: Fixture.apiKey(.read))
        #expect(answer.status == 200, "\(answer.body)")
        return try texts(answer.json["refund_questions"]?.elements)
    }

    private static func texts(_ values: [JSONValue]?) -> [String]? {
        values?.map { String(decoding: $0.source, as: UTF8.self) }
    }

    @Test func `a timeline tells a question where it was asked, on one page only`() async throws {
        try await Self.asked { shop in
            let whole = try await Self.rows(shop).rows
            let kinds = whole.map { $0["kind"]?.string }
            #expect(kinds == ["credit", "refund_question", "credit", "consumption_consent", "bound", "state"])
            let question = whole[1]
            #expect(question["text"]?.string == Self.answered)
            #expect(question["effective_at"]?.string == "2026-01-15T13:00:00Z")
            #expect(question["recorded_at"]?.string == "2026-01-15T13:00:00Z")
            #expect(question["external_id"]?.string == "1001" && question["transaction_id"]?.string == "1001")
            #expect(question["source"]?.string == "apple_iap" && question["actor"]?.isNull == true)
            for limit in 1...5 {
                var (paged, page): ([String?], (rows: [JSONValue], cursor: String?)) = ([], ([], nil))
                repeat {
                    let cursor = page.cursor.map { "&cursor=" + $0 } ?? ""
                    page = try await Self.rows(shop, "?limit=\(limit)" + cursor)
                    #expect(page.rows.count { $0["kind"]?.string != "refund_question" } <= limit)
                    paged += page.rows.map { $0["text"]?.string }
                } while page.cursor != nil
                #expect(paged == whole.map { $0["text"]?.string }, "limit \(limit)")
            }
        }
    }

    @Test func `a question from before the first fact stands at the end of the last page`() async throws {
        try await Self.asked { shop in
            try await shop.server.open.schema.rows("UPDATE consumption_requests SET asked_at = 1000")
            let first = try await Self.rows(shop, "?limit=4")
            #expect(!first.rows.contains { $0["kind"]?.string == "refund_question" })
            let last = try await Self.rows(shop, "?limit=4&cursor=" + (first.cursor ?? ""))
            #expect(last.rows.last?["text"]?.string == Self.answered && last.rows.count == 2)
        }
    }

    @Test func `an explained status lists the questions that were decided by then, to their user too`() async throws {
        try await Self.asked { shop in
            let listed = try await Self.texts(shop.listed())
            #expect(listed?.count == 1)
            #expect(try await Self.explained(shop) == listed)
            #expect(try await Self.explained(shop, "&at=2026-01-15T13:00:00Z") == listed)
            #expect(try await Self.explained(shop, "&at=2026-01-15T12:59:59Z") == [])
            #expect(try await Self.explained(shop, "&known_at=2026-01-15T13:00:00Z") == listed)
            #expect(try await Self.explained(shop, "&known_at=2026-01-15T12:59:59Z") == [])
            let own = try await shop.server.send("GET", "/api/iap/apple/status?explain=1")
            #expect(try Self.texts(own.json["refund_questions"]?.elements) == listed)
            let unexplained = try await shop.server.send("GET", "/api/iap/apple/status")
            #expect(try unexplained.json["refund_questions"] == nil)
            let other = try await shop.server.send(
                "GET", "/api/iap/apple/status?explain=1", token: Fixture.token(of: "u2"))
            #expect(try other.json["refund_questions"]?.elements?.isEmpty == true)
            let lots = try await shop.server.send("GET", "/api/credits?explain=1")
            #expect(try lots.json["refund_questions"] == nil)
        }
    }

    @Test func `a question of which Apple was told nothing says why, and an open one that it is open`() async throws {
        try await ConsumptionShop.open { shop in
            let pass = shop.sale("1001", "pass.30d", .nonRenewingSubscription)
            try await shop.attach(pass)
            func told() async throws -> String? {
                try await Self.rows(shop).rows.first { $0["kind"]?.string == "refund_question" }?["text"]?.string
            }
            let asked = "Apple asked about a refund of transaction 1001 and "
            try await shop.notify(.consumptionRequest, pass)
            #expect(try await told() == asked + "is not answered yet.")
            try await shop.answers.answer(question: shop.asked())
            #expect(try await told() == asked + "was told nothing, because the user had not allowed it.")
            try await shop.consent()
            shop.apple.fail(.refused(code: 4_000_044))
            try await shop.ask(pass)
            #expect(try await told() == asked + "was told nothing, because Apple refused the answer (4000044).")
            try await shop.act("erase", #"{"reason":"r"}"#, .admin)
            #expect(try await Self.rows(shop).rows.isEmpty)
        }
    }
}
