import AppStore
import AsyncHTTPClient
import Entitlements
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
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
    let service: FakeService
    let authority: DevelopmentAuthority
    let log: TestLog

    /// Serves while `body` runs.
    static func run(
        limits: ServerLimits = ServerLimits(), rateLimits: RateLimits = RateLimits(),
        service: FakeService = FakeService(), usersMaySpend: Bool = true,
        operators: FakeOperators = FakeOperators(),
        openAPI: [UInt8] = Array("openapi: 3.1.0\n".utf8),
        metrics: any MetricsFactory = NOOPMetricsHandler.instance, metricsPage: MetricsPage? = nil,
        adding endpoints: [Endpoint] = [], isInDevelopment: Bool = false,
        _ body: @Sendable (TestServer) async throws -> Void
    ) async throws {
        let authority = try Fixture.authority()
        let log = TestLog()
        var logger = Logger(label: "test") { _ in log }
        logger.logLevel = .info
        let verifier = AppStoreVerifier(
            evidence: EvidenceVerifier(
                apps: [StoreApp(bundleId: Fixture.app.text)], roots: try authority.trustRoots))
        let api = API(
            API.Dependencies(
                service: service, operators: operators, verifier: { verifier },
                inbox: StoreInbox(
                    service: service,
                    apple: AppleReader(verifier: { verifier }, under: service.rules, now: { service.now }),
                    cards: CardReader(userKey: "user_id", graceDays: 14),
                    metrics: APIMetrics(metrics)),
                cardSecrets: EndpointSecrets(["whsec_test"]),
                bearers: try await BearerVerifier(.secrets([Fixture.secret]), policy: BearerPolicy()),
                rateLimits: rateLimits, network: { peer, forwarded in Array((forwarded ?? peer ?? "").utf8) },
                usersMaySpend: usersMaySpend, openAPI: openAPI, cores: 2,
                now: { service.now }, realNow: { service.now }, uptime: { .zero }, newRequestID: { "made-here" },
                newID: { String(UInt64.random(in: .min ... .max), radix: 36) }, logAccess: log.keep,
                metrics: APIMetrics(metrics), metricsPage: metricsPage,
                logger: logger),
            adding: endpoints, isInDevelopment: isInDevelopment, limits: limits)
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let application = Application(
            router: api.router(), server: api.server(),
            configuration: api.configuration(at: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in port.yield(channel.localAddress?.port ?? 0) },
            logger: Logger(label: "server") { _ in SwiftLogNoOpLogHandler() })
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(services: [application], logger: logger))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            for await number in ports {
                let server = TestServer(port: number, service: service, authority: authority, log: log)
                do {
                    try await body(server)
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

    /// Sends one request, as user `u1` unless told otherwise.
    func send(
        _ method: String, _ path: String, _ body: String? = nil, token: String? = Fixture.token(of: "u1"),
        fields: [(String, String)] = [], through client: HTTPClient = .shared
    ) async throws -> Answer {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)\(path)")
        request.method = .RAW(value: method)
        if let token { request.headers.add(name: "Authorization", value: "Bearer " + token) }
        if body != nil, !fields.contains(where: { $0.0.lowercased() == "content-type" }) {
            request.headers.add(name: "Content-Type", value: "application/json")
        }
        for (name, value) in fields where !value.isEmpty { request.headers.add(name: name, value: value) }
        if let body { request.body = .bytes(Array(body.utf8), length: .known(Int64(body.utf8.count))) }
        let response = try await client.execute(request, timeout: .seconds(60))
        let bytes = try await response.body.collect(upTo: 16 * 1024 * 1024)
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
