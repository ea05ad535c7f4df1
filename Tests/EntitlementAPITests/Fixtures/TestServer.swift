import AppStore
import AsyncHTTPClient
import Crypto
import Entitlements
import HTTPTypes
import Hummingbird
import HummingbirdCore
import LedgerStore
import Logging
import MariaDB
import Metrics
import NIOCore
import NIOHTTP1
import ServiceLifecycle
import StoreSimulator
import StrictJSON
import StripeBilling
import Support
import Synchronization

@testable import EntitlementAPI

/// The API behind a real socket on the loopback interface.
struct TestServer: Sendable {
    let port: Int
    let world: World
    let authority: DevelopmentAuthority
    let log: TestLog
    let api: API.Dependencies
    /// Nil where the database has not been opened.
    let opened: OpenStore?

    var clock: TestClock { world.clock }

    /// What a test may change under a server.
    final class World: Sendable {
        let clock = TestClock(at: Fixture.now)
        let signingKeys = Mutex([Keys.stored()])
        let readiness = Mutex(
            Readiness(version: "1.2.3", checks: [.init(name: "database", isInOrder: true, detail: "reachable")]))
        /// How many requests were committed.
        let records = Mutex(0)
    }

    /// Serves while `body` runs; without `isOpen`, as before the database comes.
    static func run(
        isOpen: Bool = true, limits: ServerLimits = ServerLimits(), rateLimits: RateLimits = RateLimits(),
        allowedOrigins: [String] = [],
        catalogue: CatalogueVersions = Fixture.catalogue, rules: ClaimRules = ClaimRules(), usersMaySpend: Bool = true,
        openAPI: [UInt8] = Array("openapi: 3.1.0\n".utf8),
        appleTokenDays: Int? = nil, login: BearerVerifier.Keys = .secrets([Fixture.secret]),
        asking apple: (any AppStoreServer)? = nil, receipts: Receipts? = nil, patience: Duration = .seconds(3),
        metrics: any MetricsFactory = NOOPMetricsHandler.instance, metricsPage: MetricsPage? = nil,
        adding endpoints: [Endpoint] = [], isInDevelopment: Bool = false,
        _ body: @Sendable (TestServer) async throws -> Void
    ) async throws {
        let authority = try Fixture.authority()
        let (log, world) = (TestLog(), World())
        var logger = Logger(label: "test") { _ in log }
        logger.logLevel = .info
        let verifier = AppStoreVerifier(
            evidence: EvidenceVerifier(
                apps: [StoreApp(bundleId: Fixture.app.text)], roots: try authority.trustRoots))
        let store = StoreDoor(provisional: catalogue)
        let now = { @Sendable in world.clock.now }
        let dependencies = API.Dependencies(
            store: store, settings: Fixture.settings, rules: rules,
            signingKeys: { () throws(SigningKeyFault) in
                try SigningKeyRing(
                    of: world.signingKeys.withLock { $0 }, under: Keys.seal, tokenHours: 72, at: world.clock.now)
            }, readiness: { world.readiness.withLock { $0 } }, verifier: { verifier },
            inbox: StoreInbox(
                store: store, under: rules, apple: AppleReader(verifier: { verifier }, under: rules, now: now),
                cards: CardReader(userKey: "user_id", graceDays: 14), metrics: APIMetrics(metrics), logger: logger),
            history: apple.map {
                StoreHistory(
                    store: store, asking: $0, under: rules, verifier: { verifier }, cores: 2, now: now,
                    patience: patience, logger: logger)
            },
            receipts: receipts,
            cardSecrets: EndpointSecrets(["whsec_test"]),
            bearers: try await BearerVerifier(login, policy: BearerPolicy()), appleTokenDays: appleTokenDays,
            rateLimits: rateLimits, allowedOrigins: allowedOrigins,
            network: { peer, forwarded in Array((forwarded ?? peer ?? "").utf8) },
            usersMaySpend: usersMaySpend, openAPI: openAPI, cores: 2, now: now, realNow: now, uptime: { .zero },
            newRequestID: { "made-here" }, newID: { String(UInt64.random(in: .min ... .max), radix: 36) },
            logAccess: log.keep, metrics: APIMetrics(metrics), metricsPage: metricsPage, logger: logger)
        let api = API(dependencies, adding: endpoints, isInDevelopment: isInDevelopment, limits: limits)
        @Sendable func serve(_ opened: OpenStore?) async throws {
            try await Self.serve(api) { port in
                try await body(
                    TestServer(
                        port: port, world: world, authority: authority, log: log, api: dependencies, opened: opened))
            }
        }
        guard isOpen else { return try await serve(nil) }
        try await OpenStore.running(
            catalogue: catalogue, settings: LedgerSettings(entitlements: Fixture.settings, labels: Fixture.labels),
            format: StatusBody.format, clock: world.clock, token: AccountToken(Fixture.accountToken),
            noteBatch: { requests in world.records.withLock { $0 += requests } }
        ) { opened in
            try await addKeys(to: opened.schema)
            store.open(opened.store)
            try await serve(opened)
        }
    }

    /// One key for each scope.
    private static func addKeys(to schema: TestSchema) async throws {
        for (number, scope) in [APIKeyScope.write, .read, .admin, .audit].enumerated() {
            try await schema.rows(
                "INSERT INTO api_keys (id, name, scopes, secret_hash, created_at) VALUES (?, ?, ?, ?, ?)",
                [
                    Value(number + 1), .text(scope.rawValue), .text(scope.rawValue),
                    .bytes(Array(SHA256.hash(data: Array(Fixture.apiKey(scope).utf8)))),
                    .int64(Fixture.now.milliseconds),
                ])
        }
    }

    private static func serve(
        _ api: API, _ body: @Sendable (_ port: Int) async throws -> Void
    ) async throws {
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let application = Application(
            router: api.router(), server: api.server(),
            configuration: api.configuration(at: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in port.yield(channel.localAddress?.port ?? 0) },
            logger: Logger(label: "server") { _ in SwiftLogNoOpLogHandler() })
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [application], logger: Logger(label: "group") { _ in SwiftLogNoOpLogHandler() }))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            for await number in ports {
                do {
                    try await body(number)
                } catch {
                    await group.triggerGracefulShutdown()
                    throw error
                }
                break
            }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }

    /// An answer, read whole.
    struct Answer: Sendable {
        let status: Int
        let headers: HTTPHeaders
        let body: String

        /// The body as strict JSON.
        ///
        /// - Throws: ``Problem`` when it is none.
        var json: JSONValue { get throws { try JSONBody(Array(body.utf8)).value } }
        /// The code of a problem; nil for a body that is no problem, which the test will notice.
        var code: String? { (try? json)?["code"]?.string }
    }

    /// Sends one request, as user `u1` unless told otherwise, with a body of text or of `bytes`.
    func send(
        _ method: String, _ path: String, _ body: String? = nil, token: String? = Fixture.token(of: "u1"),
        fields: [(String, String)] = [], bytes: [UInt8]? = nil, through client: HTTPClient = .shared
    ) async throws -> Answer {
        let body = bytes ?? body.map { Array($0.utf8) }
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)\(path)")
        request.method = .RAW(value: method)
        if let token { request.headers.add(name: "Authorization", value: "Bearer " + token) }
        if body != nil, !fields.contains(where: { $0.0.lowercased() == "content-type" }) {
            request.headers.add(name: "Content-Type", value: "application/json")
        }
        if !fields.contains(where: { $0.0.lowercased() == "accept-encoding" }) {
            request.headers.add(name: "Accept-Encoding", value: "identity")  // the client would ask for gzip by itself
        }
        for (name, value) in fields where !value.isEmpty { request.headers.add(name: name, value: value) }
        if let body { request.body = .bytes(body, length: .known(Int64(body.count))) }
        let response = try await client.execute(request, timeout: .seconds(60))
        let bytes = try await response.body.collect(upTo: 16 * 1024 * 1024)
        KeptAnswers.keep(
            method, path, body, Int(response.status.code), type: response.headers.first(name: "content-type"),
            Array(buffer: bytes))
        return Answer(
            status: Int(response.status.code), headers: response.headers, body: String(buffer: bytes))
    }
}

extension TestLog {
    func keep(_ line: AccessLine) {
        var json = JSONWriter()
        json.beginObject()
        json.append(line)
        json.endObject()
        keep(String(decoding: json.bytes, as: UTF8.self))
    }
}
