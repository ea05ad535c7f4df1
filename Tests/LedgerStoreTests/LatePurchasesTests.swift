import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// Purchases that had ended when they became their owners' are found, the last recorded first.
@Suite(.serialized) struct LatePurchasesTests {
    private static func late(limit: Int, _ shop: Shop) async throws -> [String] {
        let reader = Desk(shop).reader
        var (before, ids): (UInt64?, [String]) = (nil, [])
        repeat {
            let page = try await reader.late(before: before, limit: limit)
            #expect(page.rows.count <= limit)
            ids += page.rows.map(\.key.externalID.text)
            before = page.next
        } while before != nil
        return ids
    }

    @Test func `they are found in pages, and no other`() async throws {
        try await Shop.open { shop in
            for (number, day) in [0, 20, -40, 10, 11].enumerated() {
                try await shop.attach(Books.pass("\(number)", day: day), to: Books.user(number))
            }
            for limit in [1, 2, 100] { #expect(try await Self.late(limit: limit, shop) == ["3", "2", "0"]) }
            #expect(try await Desk(shop).reader.late(before: nil, limit: 9).rows.first?.owner == Books.user(3))
        }
    }

    @Test func `none is lost behind many that are in order, and none of the erased is told`() async throws {
        try await Shop.open { shop in
            try await shop.attach(Books.pass("old", day: -40), to: Books.user("anna"))
            try await shop.schema.rows(
                """
                INSERT INTO purchases (source, app, environment, external_id)
                SELECT 'apple_iap', 'a', 'Production', seq FROM seq_1_to_\(2 * OperatorReader.rowsGoneOver)
                """)
            #expect(try await Self.late(limit: 10, shop) == ["old"])
            try await shop.schema.rows("UPDATE users SET user_id = NULL")
            #expect(try await Self.late(limit: 10, shop) == [])
        }
    }
}
