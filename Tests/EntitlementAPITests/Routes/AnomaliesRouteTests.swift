import AppStore
import Entitlements
import LedgerStore
import MariaDB
import StrictJSON
import Support
import Synchronization
import Testing

@testable import EntitlementAPI

/// Purchases that give nothing, and why, across users.
struct AnomaliesRouteTests {
    private static let list = "/api/admin/anomalies"
    private static let reader = Fixture.apiKey(.read)

    private static func state(
        _ id: String, of product: String = "pass.30d", _ type: StatedType = .pass,
        transaction: String? = nil, month: Int64 = 0, quantity: Int = 1, isFamilyShared: Bool = false,
        revocation: Revocation? = nil, in environment: StoreEnvironment = .production
    ) -> VerifiedPurchase {
        let start = Fixture.now + month * 30 * Instant.millisecondsPerDay
        return VerifiedPurchase(
            key: PurchaseKey(
                source: .appleIAP, app: Fixture.app, environment: environment, externalID: ExternalID(id)),
            transactionID: TransactionID(transaction ?? id), productID: ProductID(product), type: type,
            purchasedAt: start, expiresAt: type == .plan ? start + 30 * Instant.millisecondsPerDay : nil,
            quantity: quantity, isFamilyShared: isFamilyShared, revocation: revocation, signedAt: start)
    }

    /// What is recorded, the first first, and of whom; the tables cannot tell that `pass` and `gone` are in order.
    /// The text of `odd` has members that could not be read, and so has that of `mystery`.
    private static let recorded: [(state: VerifiedPurchase, owner: String?)] = [
        (state("several", transaction: "more", quantity: 2), "u4"),
        (state("paid", of: "annual3", .plan, transaction: "paid again", month: 1), "u3"),
        (state("half", revocation: Revocation(revokedAt: Fixture.now, share: nil)), "u1"),
        (state("mystery", of: "pass.31d"), "u1"),
        (state("pass"), "u1"),
        (state("foreign"), nil),
        (state("mismatch", of: "addon"), "u2"),
        (state("gone"), "u3"),
        (state("shared", isFamilyShared: true), "u1"),
        (state("two", of: "addon", transaction: "copy"), "u2"),
        (state("sandbox", of: "pass.31d", in: .sandbox), "u2"),
        (state("odd"), "u2"),
    ]

    private static func open(_ body: @Sendable (TestServer) async throws -> Void) async throws {
        try await TestServer.run { server in
            for (number, (state, owner)) in recorded.enumerated() {
                server.clock.now = Fixture.now + Int64(number)
                let (id, user) = (state.key.externalID.text, try owner.map { try Fixture.user($0) })
                if ["two", "several"].contains(id) { try await server.open.sell(Self.state(id), to: user) }
                if id == "paid" {
                    try await server.open.sell(Self.state(id, of: "annual3", .plan), to: user)
                    let taken = try await server.send(
                        "POST", "/api/admin/users/u3/revoke", #"{"external_id":"paid","reason":"asked"}"#,
                        token: Fixture.apiKey(.write), fields: [("Idempotency-Key", "k")])
                    #expect(taken.body.hasSuffix(#""takes_renewals":true}"#), "\(taken.body)")
                }
                try await server.open.sell(
                    state, to: user, unreadable: ["odd", "mystery"].contains(id) ? ["storefront"] : [])
            }
            try await body(server)
        }
    }

    private static let listed = [
        "odd unreadable_fields", "sandbox unknown_product", "two quarantined", "shared family_shared",
        "mismatch product_type_mismatch", "foreign unowned", "mystery unknown_product", "half unclear_refund",
        "paid paid_after_withdrawal", "several quantity_differs",
    ]

    /// The ids and reasons on all pages.
    private static func pages(_ query: String, _ server: TestServer) async throws -> [String] {
        var (rows, cursor): ([String], String?) = ([], nil)
        repeat {
            let place = cursor.map { "&cursor=" + $0 } ?? ""
            let answer = try await server.send("GET", list + "?" + query + place, token: reader)
            #expect(answer.status == 200, "\(answer.body)")
            rows +=
                try answer.json["data"]?.elements?.map { row in
                    [row["external_id"]?.string, row["reason"]?.string].compactMap(\.self).joined(separator: " ")
                } ?? []
            cursor = try answer.json["next_cursor"]?.string
        } while cursor != nil
        return rows
    }

    @Test func `each is listed with its reason, the last recorded first, on pages of any size`() async throws {
        try await Self.open { server in
            for limit in [1, 2, 3, 10, 11, 100] {
                let found = try await Self.pages("limit=\(limit)", server)
                #expect(found == Self.listed)
            }
        }
    }

    @Test func `only those of one reason are listed where that is asked for`() async throws {
        try await Self.open { server in
            for reason in Anomaly.allCases.map(\.rawValue) {
                let expected = Self.listed.filter { $0.hasSuffix(" " + reason) }
                #expect(!expected.isEmpty)
                for limit in [1, 100] {
                    let found = try await Self.pages("reason=\(reason)&limit=\(limit)", server)
                    #expect(found == expected)
                }
            }
        }
    }

    @Test func `a row says whose it is, what was bought and when that was recorded`() async throws {
        try await Self.open { server in
            let found = try await server.send("GET", Self.list + "?limit=3", token: Self.reader)
            #expect(
                found.body.hasPrefix(
                    #"{"data":[{"user_id":"u2","source":"apple_iap","app":"com.example.app","#
                        + #""environment":"Production","external_id":"odd","product_id":"pass.30d","#
                        + #""recorded_at":"2026-01-15T12:00:00Z","recorded_at_ms":1768478400011,"#
                        + #""reason":"unreadable_fields"},"#
                        + #"{"user_id":"u2","source":"apple_iap","app":"com.example.app","environment":"Sandbox","#
                        + #""external_id":"sandbox","product_id":"pass.31d","recorded_at":"2026-01-15T12:00:00Z","#
                        + #""recorded_at_ms":1768478400010,"reason":"unknown_product"},{"user_id":"u2","#),
                "\(found.body)")
            #expect(try found.json["data"]?.elements?.last?["product_id"]?.string == "pass.30d", "the original's")
            let foreign = try await server.send("GET", Self.list + "?reason=unowned", token: Self.reader)
            #expect(foreign.body.hasPrefix(#"{"data":[{"user_id":null,"source":"apple_iap","#), "\(foreign.body)")
        }
    }

    @Test func `the product is that of a chain's newest period, whichever text came last`() async throws {
        try await TestServer.run { server in
            let user = try Fixture.user("u1")
            for (transaction, product, month) in [("chain 2", "plan.new", 1), ("chain", "annual3", 0)] {
                let state = Self.state("chain", of: product, .plan, transaction: transaction, month: Int64(month))
                try await server.open.sell(state, to: user)
            }
            let found = try await server.send("GET", Self.list, token: Self.reader).json["data"]?.elements ?? []
            #expect(found.map { $0["product_id"]?.string } == ["plan.new"])
            #expect(found.map { $0["reason"]?.string } == ["unknown_product"])
        }
    }

    @Test func `the reason is the one that the user's own status explains`() async throws {
        try await Self.open { server in
            let rows = try await server.send("GET", Self.list, token: Self.reader).json["data"]?.elements ?? []
            for row in rows {
                guard let user = row["user_id"]?.string else { continue }
                let status = try await server.send(
                    "GET", "/api/admin/users/\(user)/status?explain=1", token: Self.reader
                ).json
                let explained = status["explanation"]?.elements?.first {
                    $0["external_id"]?.string == row["external_id"]?.string
                }
                let reason = row["reason"]?.string
                let others: [String: String?] = [
                    "unclear_refund": "revoked", "unreadable_fields": nil, "quantity_differs": nil,
                    "paid_after_withdrawal": "revoked",
                ]
                let expected = others[reason ?? ""] ?? reason
                #expect(explained?["reason"]?.string == expected, "\(row)")
            }
        }
    }

    @Test func `a reason that is none is refused by name, and so is the key of a stranger`() async throws {
        try await Self.open { server in
            for reason in ["", "sandbox_not_allowed", "revoked", "Unowned", "unowned,quarantined"] {
                try await server.expectRefusal(
                    400, "invalid_request", "GET", Self.list + "?reason=" + reason, at: "?reason", token: Self.reader)
            }
            try await server.expectRefusal(
                400, "invalid_request", "GET", Self.list + "?reason=unowned&reason=unowned", at: "?reason",
                token: Self.reader)
            try await server.expectRefusal(401, "unauthenticated", "GET", Self.list)
            for scope in APIKeyScope.allCases {
                let answer = try await server.send("GET", Self.list, token: Fixture.apiKey(scope))
                #expect(answer.status == (scope == .audit ? 403 : 200))
            }
        }
    }

    @Test func `nothing is listed while ledgers cannot be read`() async throws {
        try await Self.open { server in
            let schema = try server.open.schema
            try await schema.rows("RENAME TABLE users TO users_away")
            try await server.expectRefusal(503, "unavailable", "GET", Self.list, token: Self.reader)
            try await schema.rows("RENAME TABLE users_away TO users")
        }
    }
}
