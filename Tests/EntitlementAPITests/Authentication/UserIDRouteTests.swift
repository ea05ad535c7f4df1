import Entitlements
import HTTPTypes
import LedgerStore
import NIOHTTP1
import StrictJSON
import Testing

@testable import EntitlementAPI

/// User ids as logins give them and as paths and queries carry them.
struct UserIDRouteTests {
    private static let status = "/api/iap/apple/status"
    private static let admin = Fixture.apiKey(.admin)

    /// The text with all but letters and digits escaped.
    private static func escaped(_ text: String) -> String {
        text.utf8.map { byte in
            let scalar = Character(Unicode.Scalar(byte))
            guard !scalar.isLetter && !scalar.isNumber else { return String(scalar) }
            return "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }

    private static func path(_ endpoint: Endpoint, user: String) -> String {
        endpoint.path.replacing("{user_id}", with: user).replacing("{key_id}", with: "1")
            .replacing("{unit}", with: "credit").replacing("{reservation_id}", with: "r1")
            .replacing("{device_id}", with: "d1").replacing("{grant_id}", with: "g1")
            .replacing("{delivery_id}", with: "1")
    }

    @Test func `ids of usual logins sign in and are found by path and by search`() async throws {
        try await TestServer.run { server in
            for (number, user) in [
                "auth0|66f1a2b3", "google-oauth2|1035", "anna+news@example.com", "_-_8Wc7h2Zl5Yw==", "kLxzv2cA9fYb3pQe",
                String(repeating: "a", count: 128),
            ].enumerated() {
                try await server.sell("pass.30d", as: "p\(number)", .pass, to: user)
                let own = try await server.send("GET", Self.status, token: Fixture.token(of: user))
                #expect(try own.status == 200 && own.json["user_id"]?.string == user, "\(own.body)")
                let asked = Self.escaped(user)
                for path in ["users/\(asked)/status", "users/\(asked)/export", "search?q=\(asked)"] {
                    let answer = try await server.send("GET", "/api/admin/" + path, token: Self.admin)
                    #expect(answer.status == 200 && answer.body.contains("\"\(user)\""), "\(path): \(answer.body)")
                }
                let check = "/api/billing/subscriptions/check/" + asked
                let checked = try await server.send("GET", check, token: Fixture.token(of: user))
                #expect(try checked.json["status"]?.string == "ACTIVE", "\(checked.body)")
            }
            // A plus sign stays one, in a path and in a query.
            for path in ["users/anna+news@example.com/status", "search?q=anna+news@example.com"] {
                let answer = try await server.send("GET", "/api/admin/" + path, token: Self.admin)
                #expect(answer.body.contains("p2") || answer.body.contains("anna+news"), "\(answer.body)")
            }
        }
    }

    @Test func `a path names an id in one spelling, which is decoded once`() async throws {
        try await TestServer.run { server in
            try await server.sell("pass.30d", as: "p1", .pass, to: "auth0|abc")
            func active(_ user: String) async throws -> Bool? {
                let answer = try await server.send("GET", "/api/admin/users/\(user)/status", token: Self.admin)
                return answer.status == 404 ? nil : try answer.json["active"]?.flag
            }
            for user in ["auth0%7Cabc", "auth0%7cabc", "%61uth0%7Cabc"] { #expect(try await active(user) == true) }
            for user in ["AUTH0%7Cabc", "auth0%7CABC", "auth0%7Cabc%3D", "auth0"] {
                #expect(try await active(user) == false, "\(user)")
            }
            for user in ["auth0%257Cabc", "auth0%2525abc", "auth0%7Cabc%20", "%20auth0%7Cabc", "auth0%EF%BD%9Cabc"] {
                #expect(try await active(user) == nil, "\(user)")
            }
        }
    }

    @Test func `a login whose ids are of another form is told so, after the signature and before the rate`()
        async throws
    {
        try await TestServer.run(rateLimits: RateLimits(readPerMinute: 1)) { server in
            let valid = Fixture.now.milliseconds / 1000 + 3600
            for (claim, detail) in [
                (#""a/b""#, "A user id may not have the character / (U+002F)."),
                (#""a b""#, "A user id may not have the character U+0020."),
                (#""\u00e9""#, "A user id may not have the character U+00E9."),
                (#""|a""#, "A user id begins with a letter, a digit or _, and not with the character | (U+007C)."),
                ("-1", "A user id begins with a letter, a digit or _, and not with the character - (U+002D)."),
                (#""""#, "A user id has 1 to 128 characters, and this one has 0."),
                (
                    "\"" + String(repeating: "a", count: 129) + "\"",
                    "A user id has 1 to 128 characters, and this one has 129."
                ),
                ("null", "The claim of the user id is missing, or neither a text nor a whole number."),
                (#"["u1"]"#, "The claim of the user id is missing, or neither a text nor a whole number."),
                (#""apple-1""#, "User ids that begin with apple- stand for Apple accounts."),
                (#""apple-""#, "User ids that begin with apple- stand for Apple accounts."),
            ] {
                for _ in 0..<2 {
                    let token = Fixture.token(#"{"sub":\#(claim),"exp":\#(valid)}"#)
                    let answer = try await server.send("GET", Self.status + "?nonesuch=1", token: token)
                    #expect(answer.status == 403 && answer.code == "user_id_not_allowed", "\(claim) \(answer.body)")
                    #expect(try answer.json["detail"]?.string == detail)
                    #expect(answer.headers["www-authenticate"] == ["Bearer realm=\"gatepass\""])
                }
                for token in [
                    Fixture.token(#"{"sub":\#(claim),"exp":\#(valid)}"#, secret: Array("other".utf8)),
                    Fixture.token(#"{"sub":\#(claim),"exp":\#(valid - 7200)}"#),
                ] {
                    let answer = try await server.send("GET", Self.status, token: token)
                    #expect(answer.status == 401 && answer.code == "unauthenticated", "\(claim) \(answer.body)")
                }
            }
            for user in ["apple", "Apple-1", "apple_1", "pineapple-1"] {
                #expect(try await server.send("GET", Self.status, token: Fixture.token(of: user)).status == 200)
            }
        }
    }

    @Test func `an id that no login may give is read like any in a path`() async throws {
        try await TestServer.run { server in
            try await server.sell("pass.30d", as: "p1", .pass, to: "apple-1")
            let found = try await server.send("GET", "/api/admin/users/apple-1/status", token: Self.admin)
            #expect(try found.status == 200 && found.json["active"]?.flag == true)
        }
    }

    private static let shared = String(repeating: "a", count: 64)

    @Test(arguments: [shared, shared + "|1"])
    func `ids that share their first 64 characters are two users on every route`(owner: String) async throws {
        try await TestServer.run { server in
            try await server.sell("pass.30d", as: "secret-pass", .pass, to: owner)
            try await server.sellCredits("secret-credits", to: owner)
            let registered = try await server.send(
                "POST", "/api/devices", #"{"device_id":"secret-device"}"#, token: Fixture.token(of: owner))
            #expect(registered.status == 201, "\(registered.body)")
            let recorded = try await server.ledger(of: owner)
            for user in [Self.shared, Self.shared + "|1", Self.shared + "|2", Self.shared + "|"] where user != owner {
                for endpoint in Routes.all where endpoint.path.hasPrefix("/api/") {
                    let isAdmin = endpoint.path.hasPrefix("/api/admin/")
                    // What lists everybody's things, and what makes keys, says nothing of a user.
                    guard !isAdmin || endpoint.path.contains("{user_id}") else { continue }
                    let answer = try await server.send(
                        endpoint.method.rawValue, Self.path(endpoint, user: Self.escaped(user)),
                        endpoint.method == .get ? nil : #"{"reason":"r","external_id":"secret-pass"}"#,
                        token: isAdmin ? Self.admin : Fixture.token(of: user),
                        fields: [("Idempotency-Key", user + endpoint.name.replacing(" ", with: "-"))])
                    #expect(answer.status < 500 && !answer.body.contains("secret"), "\(endpoint.name): \(answer.body)")
                    #expect(!answer.body.contains("\"\(owner)\""), "\(endpoint.name): \(answer.body)")
                }
                let found = try await server.send(
                    "GET", "/api/admin/search?q=" + Self.escaped(user), token: Self.admin)
                // A search finds users by the beginning of their ids.
                #expect(!found.body.contains("secret"), "\(found.body)")
                #expect(found.body.contains("\"\(owner)\"") == owner.hasPrefix(user), "\(found.body)")
            }
            #expect(try await Array(server.ledger(of: owner).entries) == Array(recorded.entries))
            let own = try await server.send("GET", Self.status, token: Fixture.token(of: owner))
            #expect(try own.json["user_id"]?.string == owner && own.json["active"]?.flag == true, "\(own.body)")
            #expect(own.body.contains("secret-pass") && own.body.contains(#""active":1"#))
        }
    }
}
