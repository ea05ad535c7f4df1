import Entitlements
import LedgerStore
import StrictJSON
import Support
import Synchronization
import Testing

@testable import EntitlementAPI

/// A page of purchases is cut before its rows are made.
struct PurchasePageTests {
    private static let count = 60

    /// Purchases of each kind, some taken back, and grants.
    private static func sell(to server: TestServer) async throws {
        let products: [(String, StatedType)] = [
            ("pass.30d", .pass), ("addon", .addOn), ("credits", .consumable), ("nothing-known", .pass),
        ]
        for number in 0..<count - 2 {
            let (product, type) = products[number % products.count]
            try await server.sell(
                product, as: "p\(number)", type, in: number % 2 == 0 ? .production : .sandbox,
                revoked: number % 7 == 0 ? Revocation.fullShare : nil)
            if number % 5 == 0 { server.wait(hours: 1) }
        }
        try await server.grant(.addDays(30, of: TierID("pro")), as: "g1")
        server.wait(hours: 1)
        try await server.grant(.addDays(7, of: TierID("pro")), as: "g2")
    }

    /// A row by its members that are texts and numbers.
    private static func text(of row: JSONValue) -> String {
        (row.members ?? []).map { "\($0.name) \($0.value.string ?? $0.value.number ?? "-")" }.joined(separator: ", ")
            + " \(row["gives"]?.elements?.count ?? -1)"
    }

    @Test func `a page makes as many rows as it shows, however many purchases there are`() async throws {
        try await TestServer.run { server in
            try await Self.sell(to: server)
            let ledger = try await server.ledger()
            let timeline = Timeline(folding: ledger, given: Fixture.catalogue, settings: Fixture.settings)
            #expect(ListedPurchase.all(in: ledger).count == Self.count)
            for (limit, made) in [(1, 1), (7, 7), (50, 50), (100, Self.count)] {
                let page = PurchasePage(
                    try CursorPage(try Query("limit=\(limit)")), of: ledger, timeline, at: server.clock.now)
                #expect(page.summaries.count == made)
                #expect(page.summaries.allSatisfy { $0.explained?.entitlement.key == $0.key })
                #expect(page.summaries.allSatisfy { $0.explained?.explanation.key == $0.key })
            }
        }
    }

    @Test func `rows are the same in pages of any length`() async throws {
        try await TestServer.run { server in
            try await Self.sell(to: server)
            func rows(limit: Int) async throws -> [String] {
                var (rows, query) = ([String](), "?limit=\(limit)")
                while true {
                    let json = try await server.send("GET", "/api/iap/purchases" + query).json
                    rows += (json["data"]?.elements ?? []).map(Self.text)
                    guard let cursor = json["next_cursor"]?.string else { return rows }
                    query = "?limit=\(limit)&cursor=" + cursor
                }
            }
            let whole = try await rows(limit: 100)
            #expect(whole.count == Self.count)
            for limit in [1, 7] { #expect(try await rows(limit: limit) == whole) }
        }
    }
}
