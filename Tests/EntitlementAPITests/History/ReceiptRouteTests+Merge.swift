import AppStore
import Entitlements
import LedgerStore
import MariaDB
import StoreSimulator
import StrictJSON
import Support
import Testing

@testable import EntitlementAPI

/// Receipts that wait for Apple while an operator moves what their users have.
extension ReceiptRouteTests {
    /// Runs `body` once the receipt of the guest `u1`, who has the purchase 1000, waits for Apple with the ids 1001 and
    /// 1002.
    private static func waiting(_ body: @Sendable (Shop) async throws -> Void) async throws {
        try await open { shop in
            for (number, id) in ["1000", "1001", "1002", "1003"].enumerated() {
                shop.apple.add(.init(texts: [try shop.text(id, account: "\(number + 1)")]))
            }
            _ = try await shop.show(SimulatedReceipt(["1000"]))
            #expect(try await Self.owned(by: "u1", shop) == ["1000"])
            shop.apple.fail(.unreachable("away"), .unreachable("away"))
            #expect(try await shop.show(SimulatedReceipt(["1001", "1002"]))["history"]?.string == "pending")
            try await body(shop)
        }
    }

    /// The purchases that a user has now, without those that went to somebody else.
    private static func owned(by user: String, _ shop: Shop) async throws -> [String] {
        let rows = try await shop.server.open.schema.rows(
            """
            SELECT p.external_id FROM purchases p JOIN users u ON u.pseudonym = p.user_id
            WHERE u.user_id = '\(user)' ORDER BY p.external_id
            """)
        return rows.compactMap { row in
            guard case .text(let id)? = row.first else { return nil }
            return id
        }
    }

    private static func act(_ path: String, _ body: String, _ shop: Shop) async throws {
        let answer = try await shop.server.send(
            "POST", "/api/admin/users/" + path, body, token: Fixture.apiKey(.write), fields: [("Idempotency-Key", "k")])
        #expect(answer.status == 200, "\(answer.body)")
    }

    @Test func `what a guest's receipt named before a merge is claimed for the user, and after it for the guest`()
        async throws
    {
        try await Self.waiting { shop in
            try await Self.act("u2/merge", #"{"from_user_id":"u1","reason":"r"}"#, shop)
            #expect(try await shop.count("lookups WHERE answered_at IS NULL") == 2)
            #expect(try await shop.count("jobs WHERE kind = 'lookup'") == 1)
            try await shop.server.api.history?.lookUp(for: shop.person())
            #expect(try await Self.owned(by: "u2", shop) == ["1000", "1001", "1002"])
            #expect(try await Self.owned(by: "u1", shop).isEmpty)
            #expect(try await shop.count("jobs WHERE kind = 'lookup'") == 0)
            let later = try await shop.show(SimulatedReceipt(["1003"]))
            #expect(Self.outcomes(later) == ["1003 attached"])
            #expect(try await Self.owned(by: "u1", shop) == ["1003"])
        }
    }

    @Test func `what both were still to be asked about is asked about once`() async throws {
        try await Self.waiting { shop in
            shop.apple.fail(.unreachable("away"))
            #expect(try await shop.show(SimulatedReceipt(["1002"]), as: "u2")["history"]?.string == "pending")
            #expect(try await shop.count("lookups WHERE answered_at IS NULL") == 3)
            try await Self.act("u2/merge", #"{"from_user_id":"u1","reason":"r"}"#, shop)
            #expect(try await shop.count("lookups WHERE answered_at IS NULL") == 2)
            #expect(try await shop.count("jobs WHERE kind = 'lookup'") == 1)
            try await shop.server.api.history?.lookUp(for: shop.person())
            #expect(try await Self.owned(by: "u2", shop) == ["1000", "1001", "1002"])
        }
    }

    @Test func `a merge while Apple is asked gives the guest nothing more`() async throws {
        try await Self.waiting { shop in
            let guest = try await shop.person()
            shop.apple.onAsk { [shop] in
                guard try await Self.owned(by: "u2", shop).isEmpty else { return }
                try await Self.act("u2/merge", #"{"from_user_id":"u1","reason":"r"}"#, shop)
            }
            try await shop.server.api.history?.lookUp(for: guest)
            #expect(try await Self.owned(by: "u1", shop).isEmpty)
            try await shop.server.api.history?.lookUp(for: shop.person())
            #expect(try await Self.owned(by: "u2", shop) == ["1000", "1001", "1002"])
        }
    }

    @Test func `a transfer of everything leaves the giver's receipt to the giver`() async throws {
        try await Self.waiting { shop in
            try await Self.act("u1/transfer", #"{"to_user_id":"u2","all":true,"reason":"r"}"#, shop)
            try await shop.server.api.history?.lookUp(for: shop.person())
            #expect(try await Self.owned(by: "u1", shop) == ["1001", "1002"])
            #expect(try await Self.owned(by: "u2", shop) == ["1000"])
        }
    }
}
