import AppStore
import Entitlements
import NIOHTTP1
import HTTPTypes
import LedgerStore
import StoreSimulator
import StrictJSON
import Testing

@testable import EntitlementAPI

/// Every route against everybody who might ask (`threats.md` T22): no other's data in a body, and the same answer
/// whether it is there or not.
struct WhoMayAskTests {
    /// Somebody who asks.
    private struct Caller {
        let name: String
        let token: String?
        let fields: [(String, String)]

        init(_ name: String, _ token: String?, scheme: String = "Bearer") {
            self.name = name
            self.token = scheme == "Bearer" ? token : nil
            fields = scheme == "Bearer" ? [] : [("Authorization", scheme + " " + (token ?? ""))]
        }
    }

    private static let strangers = [
        Caller("anonymous", nil),
        Caller("expired", Fixture.token(#"{"sub":"u1","exp":\#(Fixture.now.milliseconds / 1000 - 3600)}"#)),
        Caller("another secret", Fixture.token(#"{"sub":"u1","exp":9999999999}"#, secret: Array("other".utf8))),
        Caller("wrong key", "gp_" + String(repeating: "x", count: 43)),
        Caller("half a key", "gp_rrrr"), Caller("no key", "gp_"), Caller("empty", ""),
        Caller("basic", "dTE6cGFzcw==", scheme: "Basic"),
        Caller("two keys", Fixture.apiKey(.admin) + ", " + Fixture.apiKey(.admin)),
    ]

    private static func path(_ endpoint: Endpoint, user: String = "u1") -> String {
        endpoint.path.replacing("{user_id}", with: user).replacing("{key_id}", with: "1")
            .replacing("{unit}", with: "credit").replacing("{reservation_id}", with: "r1")
            .replacing("{device_id}", with: "d1").replacing("{grant_id}", with: "g1")
    }

    private static func send(
        _ endpoint: Endpoint, _ server: TestServer, as caller: Caller, user: String = "u1"
    ) async throws -> TestServer.Answer {
        let body = endpoint.method == .get ? nil : "{}"
        return try await server.send(
            endpoint.method.rawValue, path(endpoint, user: user), body, token: caller.token,
            fields: caller.fields)
    }

    private static func withPurchase(_ body: @Sendable (TestServer) async throws -> Void) async throws {
        try await TestServer.run { server in
            let jws = try server.authority.sign(Fixture.pass("987654321")).text
            let attached = try await server.send(
                "POST", "/api/iap/apple/transactions/attach", #"{"signedTransactionJWS":"\#(jws)"}"#)
            #expect(attached.status == 200)
            try await body(server)
        }
    }

    /// All but what anybody may ask, and what a store sends and signs.
    private static var closed: [Endpoint] {
        let open = [
            "/api/iap/apple/products", AppleGate.signIn, "/api/billing/webhooks/apple", "/api/billing/webhooks/stripe",
        ]
        return Routes.all.filter { $0.path.hasPrefix("/api/") && !open.contains($0.path) }
    }

    @Test func `who shows nothing that counts is told the same everywhere`() async throws {
        try await Self.withPurchase { server in
            for endpoint in Self.closed {
                for caller in Self.strangers {
                    let answer = try await Self.send(endpoint, server, as: caller)
                    let unknown = try await Self.send(endpoint, server, as: caller, user: "nobody")
                    let place = "\(endpoint.path) as \(caller.name)"
                    #expect(answer.status == 401 && answer.code == "unauthenticated", "\(place)")
                    #expect(answer.body == unknown.body && !answer.body.contains("987654321"), "\(place)")
                    let challenge = answer.headers.first(name: "www-authenticate") ?? ""
                    #expect(challenge.hasPrefix("Bearer realm=\"gatepass\""), "\(place)")
                }
            }
        }
    }

    @Test func `a user's token reaches no admin route, and a server's key no user's route`() async throws {
        try await Self.withPurchase { server in
            for endpoint in Self.closed {
                let isAdmin = endpoint.path.hasPrefix("/api/admin/")
                let isShared = endpoint.path.contains("/check/")
                for user in ["u1", "u2"] {
                    let answer = try await Self.send(endpoint, server, as: Caller(user, Fixture.token(of: user)))
                    #expect((answer.status == 401) == isAdmin, "\(endpoint.path) as \(user)")
                    if user == "u2" { #expect(!answer.body.contains("987654321"), "\(endpoint.path)") }
                }
                for scope in APIKeyScope.allCases {
                    let key = Caller(scope.rawValue, Fixture.apiKey(scope))
                    let answer = try await Self.send(endpoint, server, as: key)
                    #expect((answer.status == 401) == !(isAdmin || isShared), "\(endpoint.path) as \(scope)")
                }
            }
        }
    }

    @Test func `who asks at the other's route is told their own, if there is one`() async throws {
        try await TestServer.run { server in
            let user = "/api/admin/users/u1"
            for (method, path, token, detail) in [
                (
                    "GET", "/api/iap/apple/status", Fixture.apiKey(.read),
                    "A user's token is required: a server asks GET /api/admin/users/{user_id}/status."
                ),
                (
                    "HEAD", "/api/devices/license/status", Fixture.apiKey(.read),
                    "A user's token is required: a server asks GET /api/admin/users/{user_id}/devices/license/status."
                ),
                (
                    "POST", "/api/credits/credit/spend", "gp_none",
                    "A user's token is required: a server asks POST /api/admin/users/{user_id}/credits/{unit}/spend."
                ),
                (
                    "POST", "/api/iap/apple/restore", Fixture.apiKey(.admin),
                    "A user's token is required: nothing here takes an API key."
                ),
                (
                    "GET", user + "/status", Fixture.token(of: "u1"),
                    "An API key is required: a user's token is for GET /api/iap/apple/status."
                ),
                (
                    "DELETE", user + "/devices/d1", Fixture.token(of: "u1"),
                    "An API key is required: a user's token is for DELETE /api/devices/{device_id}."
                ),
                (
                    "POST", user + "/grants", Fixture.token(of: "u1"),
                    "An API key is required: nothing here takes a user's token."
                ),
                (
                    "GET", user + "/status", Fixture.apiKey(.read) + "x",
                    "An API key is required, and there is none like this."
                ),
            ] {
                let answer = try await server.send(method, path, method == "POST" ? "{}" : nil, token: token)
                #expect(answer.status == 401, "\(method) \(path)")
                #expect(
                    answer.headers["www-authenticate"] == [
                        "Bearer realm=\"gatepass\", error=\"invalid_token\", error_description=\"\(detail)\""
                    ], "\(method) \(path)")
                if method != "HEAD" { #expect(try answer.json["detail"]?.string == detail) }
            }
        }
    }

    @Test func `a key without the scope is forbidden before anything else is looked at`() async throws {
        let needed: [String: APIKeyScope] = [
            "/api/admin/audit": .audit, "/api/admin/api-keys": .admin, "/api/admin/api-keys/{key_id}/revoke": .admin,
            "/api/admin/users/{user_id}/export": .admin, "/api/admin/users/{user_id}/erase": .admin,
            "/api/admin/orders/look-up": .read,
        ]
        try await Self.withPurchase { server in
            for endpoint in Self.closed where endpoint.path.hasPrefix("/api/admin/") {
                let scope = needed[endpoint.path] ?? (endpoint.method == .get ? .read : .write)
                for held in APIKeyScope.allCases {
                    let answer = try await Self.send(
                        endpoint, server, as: Caller(held.rawValue, Fixture.apiKey(held)))
                    // The audit trail is for its own scope and admin; nothing else is for that scope.
                    let isRefused =
                        held == .audit || scope == .audit ? ![scope, .admin].contains(held) : held < scope
                    #expect((answer.status == 403) == isRefused, "\(endpoint.path) with \(held): \(answer.status)")
                    guard isRefused else { continue }
                    #expect(answer.code == "forbidden")
                    let challenge = answer.headers.first(name: "www-authenticate") ?? ""
                    #expect(challenge.contains("error=\"insufficient_scope\""))
                    #expect(challenge.hasSuffix("scope=\"\(scope.rawValue)\""))
                }
            }
        }
    }

    @Test func `a server asks about anybody and a user who was never seen has nothing`() async throws {
        try await Self.withPurchase { server in
            let key = Fixture.apiKey(.read)
            let check = "/api/billing/subscriptions/check/"
            #expect(try await server.send("GET", check + "u1", token: key).json["status"]?.string == "ACTIVE")
            #expect(try await server.send("GET", check + "u2", token: key).json["status"]?.string == "NONE")
            let status = try await server.send("GET", "/api/admin/users/u1/status?explain=1&history=1", token: key)
            let own = try await server.send("GET", "/api/iap/apple/status?explain=1&history=1")
            #expect(status.status == 200 && status.body == own.body && own.body.contains("987654321"))
            let empty = try await server.send("GET", "/api/admin/users/u2/status", token: key)
            #expect(try empty.json["state"]?.string == "none")
        }
    }

    @Test func `an id of no user is not found`() async throws {
        try await Self.withPurchase { server in
            let unknown = try await server.send("GET", "/nowhere").body
            for id in [
                "-1", "+1", "u1%00", "%D9%A1", "u1%2F", "u%201", "%ff", "%7Cu1", "u1%257C", "u1%252B", "%3Du1",
                String(repeating: "1", count: 129), "u1%0A",
            ] {
                for path in ["/api/billing/subscriptions/check/\(id)", "/api/admin/users/\(id)/status"] {
                    let answer = try await server.send("GET", path, token: Fixture.apiKey(.admin))
                    #expect(answer.status == 404 && answer.body == unknown, "\(path)")
                }
                let answer = try await server.send("GET", "/api/billing/subscriptions/check/\(id)")
                #expect(answer.status == 404 && answer.body == unknown, "\(id)")
            }
            for id in ["0", "01", "9223372036854775808", "u2"] {
                let answer = try await server.send("GET", "/api/billing/subscriptions/check/\(id)")
                #expect(answer.status == 404 && answer.body == unknown, "\(id)")
            }
        }
    }
}
