import AppStore
import AsyncHTTPClient
import Dashboard
import EntitlementAPI
import Entitlements
import LedgerStore
import NIOHTTP1
import Support
import Synchronization
import Testing

/// A browser at the dashboard of a test server: it keeps its cookie, and sends the forms of pages.
final class Browser: Sendable {
    static let origin = "http://localhost:8080"
    static let password = "a password that is long enough"

    let server: TestServer
    private let client: HTTPClient
    private let cookie = Mutex("")
    /// The address that a proxy says it forwards for.
    let network: String

    init(_ server: TestServer, _ client: HTTPClient, network: String = "192.0.2.1") {
        self.server = server
        self.client = client
        self.network = network
    }

    /// The pages as a new development server has them, with passwords that cost little to hash.
    static var dashboard: Dashboard {
        // A try is held for a hundredth of the time. Cancelled: nobody reads the answer.
        dashboard { try? await Task.sleep(for: .milliseconds($0 / 100)) }
    }

    /// The pages with another way to hold a try to sign in for some milliseconds.
    static func dashboard(hold: @escaping @Sendable (Int64) async -> Void) -> Dashboard {
        Dashboard(
            Dashboard.Settings(origins: { [origin] }, isSecure: false, idleMinutes: 60, sessionHours: 12),
            zones: { name, _ in name == "UTC" ? 0 : nil },
            newToken: { (0..<32).map { _ in .random(in: .min ... .max) } },
            hold: hold,
            passwordCost: PasswordCost(logN: 4, blockSize: 8, parallelism: 1))
    }

    /// Serves the dashboard while `body` runs.
    static func visiting(
        catalogue: CatalogueVersions = Fixture.catalogue, asking apple: (any AppStoreServer)? = nil,
        dashboard: Dashboard = dashboard,
        rateLimits: RateLimits = RateLimits(readPerMinute: 0, passwordPerMinute: 0),
        _ body: @Sendable (TestServer, HTTPClient) async throws -> Void
    ) async throws {
        let configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        do {
            try await TestServer.run(
                rateLimits: rateLimits, catalogue: catalogue, asking: apple,
                adding: dashboard.endpoints
            ) { server in
                try await body(server, client)
            }
        } catch {
            try await client.shutdown()
            throw error
        }
        try await client.shutdown()
    }

    /// A browser of a person with this role, who has signed in.
    static func signedIn(
        _ role: StaffRole = .owner, named name: String = "mara", at server: TestServer, _ client: HTTPClient
    ) async throws -> Browser {
        let link = try await invite(name, role, at: server)
        let browser = Browser(server, client)
        #expect(
            try await browser.post("/dashboard/link/" + link, ["password": password, "again": password]).status == 303)
        let entered = try await browser.signIn(name)
        #expect(entered.status == 303 && entered.headers["location"] == ["/dashboard"])
        return browser
    }

    /// Adds a person, and gives the token of the link that sets their password.
    static func invite(_ name: String, _ role: StaffRole, at server: TestServer) async throws -> String {
        let token = (0..<32).map { _ in UInt8.random(in: .min ... .max) }
        let request = try #require(StaffRequest(name: name, role: role))
        let member = try await server.open.store.staff.create(request, link: token, by: .commandLine, reason: nil)
        #expect(member?.name == name)
        return Base64URL.encode(token)
    }

    /// Fetches a page. Throws when no whole answer came.
    func get(_ path: String) async throws -> TestServer.Answer {
        try await send("GET", path, nil, [])
    }

    /// Fetches the page with the form, and sends the form from it. Throws when no whole answer came.
    func post(
        _ path: String, _ fields: [String: String], from page: String? = nil, origin: String? = Browser.origin,
        token: String? = nil
    ) async throws -> TestServer.Answer {
        let form = try await get(page ?? path)
        let id = Self.formID(in: form.body).map { ["form_id": $0] } ?? [:]
        return try await submit(
            path, id.merging(fields) { $1 }, token: token ?? Self.formToken(in: form.body) ?? "", origin: origin)
    }

    /// Sends a form whose token is known. Throws when no whole answer came.
    func submit(
        _ path: String, _ fields: [String: String], token known: String, origin: String? = Browser.origin
    ) async throws -> TestServer.Answer {
        let parts = fields.merging(["form_token": known]) { $1 }.map {
            Self.encoded($0.key) + "=" + Self.encoded($0.value)
        }
        return try await send(
            "POST", path, parts.joined(separator: "&"),
            [("Content-Type", "application/x-www-form-urlencoded")] + (origin.map { [("Origin", $0)] } ?? []))
    }

    /// Signs in with the form. Throws when no whole answer came.
    func signIn(_ name: String, _ password: String = Browser.password) async throws -> TestServer.Answer {
        try await post("/dashboard/sign-in", ["name": name, "password": password, "then": ""])
    }

    /// Sends a request with the cookie, and keeps a new one. Throws when no whole answer came.
    func send(
        _ method: String, _ path: String, _ body: String?, _ fields: [(String, String)]
    ) async throws -> TestServer.Answer {
        let kept = cookie.withLock { $0 }
        let answer = try await server.send(
            method, path, body, token: nil,
            fields: fields + [("Cookie", kept), ("X-Forwarded-For", network)], through: client)
        for set in answer.headers["set-cookie"] {
            cookie.withLock { $0 = String(set.prefix { $0 != ";" }) }
        }
        return answer
    }

    var cookieText: String { cookie.withLock { $0 } }

    /// The token of the first form of a page; nil if the page has no form.
    static func formToken(in html: String) -> String? { hidden("form_token", in: html) }

    /// The id of the first form of a page that has one; nil if none has.
    static func formID(in html: String) -> String? { hidden("form_id", in: html) }

    private static func hidden(_ name: String, in html: String) -> String? {
        let parts = html.split(separator: "name=\"\(name)\" value=\"", maxSplits: 1)
        return parts.count == 2 ? String(parts[1].prefix { $0 != "\"" }) : nil
    }

    static func encoded(_ text: String) -> String {
        text.utf8.map { byte in
            let isPlain =
                byte < 0x80 && (Character(UnicodeScalar(byte)).isLetter || Character(UnicodeScalar(byte)).isNumber)
            return isPlain ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }
}
