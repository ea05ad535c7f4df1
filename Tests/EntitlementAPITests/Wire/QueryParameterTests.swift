import Entitlements
import FoundationEssentials
import HTTPTypes
import LedgerStore
import NIOHTTP1
import StrictJSON
import Support
import Testing

@testable import EntitlementAPI

/// Nothing in a query is passed over in silence, where clients of the API ask.
struct QueryParameterTests {
    private static let status = "/api/iap/apple/status"

    private static func path(_ endpoint: Endpoint) -> String {
        endpoint.path.replacing("{user_id}", with: "u1").replacing("{key_id}", with: "1")
            .replacing("{unit}", with: "credit").replacing("{reservation_id}", with: "r1")
            .replacing("{device_id}", with: "d1").replacing("{grant_id}", with: "g1")
            .replacing("{delivery_id}", with: "1")
    }

    private static func token(_ endpoint: Endpoint) -> String {
        endpoint.path.hasPrefix("/api/admin/") ? Fixture.apiKey(.admin) : Fixture.token(of: "u1")
    }

    /// The names of the parameters in the query of each operation, in OpenAPI in YAML's block style.
    private static func parameters(inOpenAPI text: String) -> [String: Set<String>] {
        var shared: [String: String] = [:]
        var found: [String: Set<String>] = [:]
        var (section, group, path, operation, component, name) = ("", "", "", "", "", "")
        // Components are named before they are defined.
        for _ in 0..<2 {
            for line in text.split(separator: "\n") {
                let indentation = line.prefix { $0 == " " }.count
                let words = String(line.dropFirst(indentation))
                let reference = "- $ref: \"#/components/parameters/"
                switch (section, indentation) {
                case (_, 0): section = words
                case ("components:", 2): group = words
                case ("components:", 4) where group == "parameters:": component = String(words.dropLast())
                case ("components:", 6) where group == "parameters:":
                    if words.hasPrefix("name: ") { name = String(words.dropFirst(6)) }
                    if words == "in: query" { shared[component] = name }
                case ("paths:", 2): path = String(words.dropLast())
                case ("paths:", 4):
                    operation = words.dropLast().uppercased() + " " + path
                    found[operation] = found[operation] ?? []
                case ("paths:", 8) where words.hasPrefix("- name: "): name = String(words.dropFirst(8))
                case ("paths:", 8) where words.hasPrefix(reference):
                    if let known = shared[String(words.dropFirst(reference.count).dropLast())] {
                        found[operation]?.insert(known)
                    }
                case ("paths:", 10) where words == "in: query": found[operation]?.insert(name)
                default: break
                }
            }
        }
        return found
    }

    @Test func `the endpoints declare the parameters that the document has`() throws {
        let page = String(
            decoding: try Data(contentsOf: URL(filePath: TestRun.repository + "/openapi.yaml")), as: UTF8.self)
        let documented = Self.parameters(inOpenAPI: page)
        #expect(documented["GET /api/iap/purchases"] == ["limit", "cursor", "at", "known_at"])
        for endpoint in Routes.all {
            #expect(documented[endpoint.name] == Set(endpoint.parameters ?? []), "\(endpoint.name)")
        }
        #expect(documented.count == Routes.all.count)
    }

    @Test func `an unknown parameter is refused by its name on every route, before the body is read`() async throws {
        try await TestServer.run(isInDevelopment: true) { server in
            for endpoint in Routes.all where endpoint.path.hasPrefix("/api/") || endpoint.path.hasPrefix("/dev/") {
                guard !endpoint.path.contains("/webhooks/apple"), !endpoint.path.contains("/webhooks/stripe") else {
                    continue
                }
                let body = endpoint.method == .get ? nil : "no JSON"
                let type = body == nil ? [] : [("Content-Type", "text/plain")]
                try await server.expectRefusal(
                    400, "invalid_request", endpoint.method.rawValue, Self.path(endpoint) + "?nonesuch=1", body,
                    at: "?nonesuch", fields: type, token: Self.token(endpoint))
                for name in endpoint.parameters ?? [] {
                    try await server.expectRefusal(
                        400, "invalid_request", endpoint.method.rawValue, Self.path(endpoint) + "?\(name)=1&\(name)=1",
                        body, at: "?" + name, fields: type, token: Self.token(endpoint))
                }
            }
            #expect(try await server.send("HEAD", Self.status + "?nonesuch=1").status == 400)
        }
    }

    @Test func `what stores, probes and scrapers add is ignored`() async throws {
        let token = Fixture.token(of: "u1")
        try await TestServer.run(metricsPage: MetricsPage(token: Array(token.utf8)) { [] }) { server in
            for path in [
                "/livez", "/readyz", "/metrics", "/openapi.yaml", "/openapi/app.yaml", "/.well-known/jwks.json",
            ] {
                for query in ["?t=1", "?t=1&t=1", "?=", "?%ff"] {
                    #expect(try await server.send("GET", path + query).status == 200, "\(path)\(query)")
                }
            }
            for path in ["/api/billing/webhooks/apple", "/api/billing/webhooks/stripe"] {
                let plain = try await server.send("POST", path, "{}", token: nil)
                let added = try await server.send("POST", path + "?env=live&env=live", "{}", token: nil)
                #expect(plain.status == 400 && plain.body == added.body, "\(path): \(added.body)")
            }
        }
    }

    @Test func `a name counts as it is written, decoded once`() async throws {
        try await TestServer.run { server in
            let instant = "2026-01-16T00:00:00Z"
            for query in ["at=\(instant)", "%61t=\(instant)", "at=2026-01-16T01:00:00+01:00", "&at=\(instant)&"] {
                #expect(try await server.send("GET", Self.status + "?" + query).status == 200, "\(query)")
            }
            for (query, pointer, detail) in [
                ("At=\(instant)", "?At", "There is no such parameter here; the nearest is at."),
                ("AT=\(instant)", "?AT", "There is no such parameter here; the nearest is at."),
                ("knownAt=\(instant)", "?knownAt", "There is no such parameter here; the nearest is known_at."),
                ("known-at=\(instant)", "?known-at", "There is no such parameter here; the nearest is known_at."),
                ("at%20=\(instant)", "?at ", "There is no such parameter here; the nearest is at."),
                ("+at=\(instant)", "?+at", "There is no such parameter here; the nearest is at."),
                ("at%5B%5D=\(instant)", "?at[]", "There is no such parameter here; the nearest is at."),
                ("%2561t=\(instant)", "?%61t", "There is no such parameter here; the nearest is at."),
                ("at%3D\(instant)", "?at=\(instant)", "There is no such parameter here; the nearest is at."),
                ("explian=1", "?explian", "There is no such parameter here; the nearest is explain."),
                ("=1", "?", "There is no such parameter here; the nearest is at."),
                ("=", "?", "There is no such parameter here; the nearest is at."),
                ("%00=1", "?\u{0}", "There is no such parameter here; the nearest is at."),
                ("at=\(instant)&a%74=\(instant)", "?at", "The parameter may be given once only."),
                ("at=\(instant)&at=", "?at", "The parameter may be given once only."),
                ("history=1&history=1", "?history", "The parameter may be given once only."),
                ("%ff=1", "?", "The query is not well-formed."), ("at=%ff", "?", "The query is not well-formed."),
                ("at=2026-01-16T01%253A00%253A00Z", "?at", nil), ("at=2026-01-16T01:00:00%2B01:00&x", "?x", nil),
            ] {
                let answer = try await server.send("GET", Self.status + "?" + query)
                #expect(answer.status == 400 && answer.code == "invalid_request", "\(query): \(answer.body)")
                #expect(try answer.json["errors"]?.elements?.first?["pointer"]?.string == pointer, "\(answer.body)")
                if let detail { #expect(try answer.json["detail"]?.string == detail, "\(query)") }
            }
            let long = try await server.send("GET", Self.status + "?" + String(repeating: "x", count: 5_000))
            #expect(long.status == 400 && long.body.utf8.count < 1_000)
            let none = try await server.send("GET", "/api/iap/apple/account-token?at=\(instant)")
            #expect(try none.json["detail"]?.string == "There are no parameters here.")
        }
    }

    @Test func `sign-in, scope and rate come first`() async throws {
        try await TestServer.run(rateLimits: RateLimits(readPerMinute: 1)) { server in
            let path = Self.status + "?nonesuch=1"
            try await server.expectRefusal(401, "unauthenticated", "GET", path, token: nil)
            try await server.expectRefusal(
                403, "forbidden", "GET", "/api/admin/audit?nonesuch=1", token: Fixture.apiKey(.read))
            try await server.expectRefusal(400, "invalid_request", "GET", path, at: "?nonesuch")
            try await server.expectRefusal(429, "rate_limited", "GET", path)
            let products = "/api/iap/apple/products?nonesuch=1"
            try await server.expectRefusal(400, "invalid_request", "GET", products, at: "?nonesuch", token: nil)
            try await server.expectRefusal(429, "rate_limited", "GET", products, token: nil)
        }
    }
}
