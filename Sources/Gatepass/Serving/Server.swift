import AppStore
import AsyncHTTPClient
import CMalloc
import EntitlementAPI
import Entitlements
import Foundation
import Hummingbird
import LedgerStore
import Logging
import MariaDB
import NIOCore
import ServiceLifecycle
import StripeBilling
import UnixSignals

/// The whole server. It is made from settings, files and connection settings, and runs until a signal ends it.
struct Server: Sendable {
    /// The longest time from the signal to the end, whatever clients do.
    private static let longestShutdown = Duration.seconds(10)
    /// The number of heaps that glibc keeps. Its default may be eight for each core, and threads of one heap cannot use
    /// the free memory of another (`docs/performance.md`).
    private static let arenas: Int32 = 2

    let settings: Settings
    let catalogueFile: CatalogueFile?
    let migrations: [Migration]
    let files: ServerFiles
    let database: ConnectionSettings
    let logger: Logger
    var clock = WallClock.real
    /// A clock for the age of fetched data, such as the sign-in's keys. Unlike `clock` it never jumps.
    var uptime: @Sendable () -> Duration = Surroundings.uptime
    /// The simulated store of a development server.
    var store: SimulatedStore?
    var logForm = LogForm.json
    /// The supervisor that started the process; nil if nobody wants to be told.
    var supervisor: SupervisorSocket?
    /// Called with the port when the server listens and the database is open.
    var onReady: @Sendable (_ port: Int) async -> Void = { _ in }

    /// Runs the server until it gets one of the signals, or until its service group is to end. A second signal ends it
    /// at once.
    ///
    /// Throws the fault that prevents a start: of files, keys, the schema version or a port that is taken.
    func run(until signals: [UnixSignal] = [.sigterm, .sigint]) async throws {
        cmalloc_limit_arenas(Self.arenas)
        let roots = try files.trustRoots(settings)
        let receiptRoots = try files.receiptRoots(settings)
        let client = HTTPClient.outward()
        do {
            let login = Login(
                settings: settings.auth, files: files, client: client, uptime: uptime, logger: logger)
            let services = try await self.services(
                roots: roots, receiptRoots: receiptRoots, bearers: try await login.verifier(), client: client)
            defer { LogStream.standardError.flush() }
            try await run(services, until: signals)
        } catch {
            try? await client.shutdown()  // the error that ended the server is the one to tell
            throw error
        }
        try await client.shutdown()
        logger.notice("ended")
    }

    private func services(
        roots: TrustRoots, receiptRoots: TrustRoots, bearers: BearerVerifier, client: HTTPClient
    ) async throws -> [any Service] {
        var limits = PoolLimits()
        limits.maxConnections = settings.database.poolSize
        let metrics = ServerMetrics()
        let pool = Pool(
            database, limits: limits, surroundings: Surroundings.pool, logger: logger, noteFailure: metrics.failed)
        let store = StoreDoor(provisional: provisional)
        let keys = SigningKeys(settings, pool: pool, clock: clock)
        let pace = settings.apple.credentials.map { _ in ApplePace() }
        let health = ServerHealth(
            store: store, keys: keys, pool: pool, roots: roots, apple: pace, clock: clock, logger: logger)
        let statusCheck =
            settings.apple.ocsp
            ? CertificateStatusCheck(transport: OCSPQuestions(client: client), uptime: uptime) : nil
        let verifiers = AppVerifiers(roots: roots, statusCheck: statusCheck)
        let inbox = inbox(of: store, verifiers: verifiers, metrics: metrics.api)
        let apple = try await apple(of: store, client: client, pace, metrics)
        let history = apple.map { self.history(of: store, verifiers: verifiers, asking: $0) }
        let answers = StoreAnswers(
            store: store, asking: apple, under: settings.apple.consumption, now: clock.now, metrics: metrics.api,
            logger: logger)
        let notifications = apple.map { NotificationHistory(store: store, asking: $0, into: inbox, logger: logger) }
        let receipts = history.map { _ in
            Receipts(settings.apple, roots: receiptRoots, client: client, simulated: self.store?.installation)
        }
        let reading = MetricsReading(metrics: metrics, pool: pool, store: store, health: health, clock: clock)
        let dependencies = dependencies(
            store: store, health: health, bearers: bearers, verifiers: verifiers, inbox: inbox, history: history,
            receipts, reading)
        let dashboardPort = dashboardPort
        let pages = dashboardPages(at: dashboardPort)
        let api = API(
            dependencies, adding: settings.dashboard.onMainPort ? pages : [], isInDevelopment: self.store != nil)
        let opening = DatabaseOpening(
            pool: pool, store: store, health: health, keys: keys, settings: settings, catalogueFile: catalogueFile,
            migrations: migrations, clock: clock, uptime: uptime, metrics: metrics, logger: logger)
        let projection = Projection(pool: pool, settings: settings.entitlements, format: StatusBody.format)
        let notice = ReadyNotice(opening: opening.opening, onReady: onReady)
        let listening = OnceSignal()
        let http = application(api, host: settings.http.host, at: settings.http.port) { port in
            if settings.dashboard.onMainPort { dashboardPort.note(port) }
            notice.listens(at: port)
            listening.give()
        }
        let metricsPort = settings.http.metricsPort.map { port in
            ListeningHTTP(
                application: application(
                    API(servingMetricsOf: dependencies), host: settings.http.host, at: port
                ) { _ in },
                address: "\(settings.http.host):\(port)", remedy: "name another with http.metrics_port")
        }
        let runners = JobKind.allCases.map { kind in
            JobRunner(
                kind: kind, pool: pool, store: store, inbox: inbox, history: history, answers: answers,
                notifications: notifications, clock: clock, logger: logger, noteEnd: metrics.ended)
        }
        return [
            AccessLog(), PoolService(pool: pool), opening, InstanceNotice(pool: pool),
            Housekeeping(pool: pool, retention: settings.retention, clock: clock, logger: logger),
            FreedMemory(bodies: dependencies.bodies),
            NightlyIntegrityCheck(
                pool: pool, derived: { store.isOpen ? (projection, store.catalogue) : nil }, clock: clock,
                logger: logger, note: health.note),
            StandingUpkeep(store: store, logger: logger), CatalogueReload(server: self, pool: pool),
            ListeningHTTP(
                application: http, address: "\(settings.http.host):\(settings.http.port)",
                remedy: "name another with http.host and http.port, or --port",
                onShutdown: health.drain, onEnd: tellDrained),
            notice,
        ] + runners + (metricsPort.map { [$0] } ?? []) + (self.store.map { [$0] } ?? [])
            + [
                dashboardServer(dependencies, serving: pages, at: dashboardPort),
                // The last service is the first one that a shutdown reaches.
                supervisorNotice(decided: opening.decided, listening: listening),
            ].compactMap(\.self)
    }

    /// The HTTP server of an API at an address.
    func application(
        _ api: API, host: String, at port: UInt16, onListening: @escaping @Sendable (_ port: Int) -> Void
    ) -> some ApplicationProtocol {
        Application(
            router: api.router(), server: api.server(),
            configuration: api.configuration(at: .hostname(host, port: Int(port))),
            onServerRunning: { channel in onListening(channel.localAddress?.port ?? 0) }, logger: logger)
    }

    /// The service that tells the supervisor; nil without one.
    private func supervisorNotice(decided: OnceSignal, listening: OnceSignal) -> (any Service)? {
        guard let supervisor else { return nil }
        return SupervisorNotice(socket: supervisor, decided: decided, listening: listening)
    }

    private func run(_ services: [any Service], until signals: [UnixSignal]) async throws {
        let all: [any Service] = services + [EndNotice(logger: logger)]
        var configuration = ServiceGroupConfiguration(
            services: all.map {
                .init(service: $0, successTerminationBehavior: .gracefullyShutdownGroup)
            },
            gracefulShutdownSignals: signals, logger: logger)
        configuration.maximumGracefulShutdownDuration = Self.longestShutdown
        configuration.maximumCancellationDuration = .seconds(2)
        try await ServiceGroup(configuration: configuration).run()
    }

    /// Logs the end of the HTTP server, in whose task it is called.
    private func tellDrained() {
        let isWhole = !Task.isCancelled
        logger.notice(
            "drained: \(isWhole ? "every accepted request is answered" : "the last requests were cut off")")
    }

    private func inbox(of store: StoreDoor, verifiers: AppVerifiers, metrics: APIMetrics) -> StoreInbox {
        StoreInbox(
            store: store, under: settings.claimRules,
            apple: AppleReader(
                verifier: { verifiers.verifier(for: store.catalogue) }, under: settings.claimRules, now: clock.now),
            cards: CardReader(userKey: settings.stripe.userIDMetadataKey, graceDays: settings.stripe.graceDays),
            metrics: metrics, logger: logger)
    }

    /// The App Store Server API; nil without App Store credentials. Throws `ServerFiles.Unusable` if the private key
    /// cannot be used.
    private func apple(
        of store: StoreDoor, client: HTTPClient, _ pace: ApplePace?, _ metrics: ServerMetrics
    ) async throws -> AppleServer? {
        guard let credentials = settings.apple.credentials, let pace else { return nil }
        return try await AppleServer(
            settings.apple, credentials, files: files, client: client, simulated: self.store?.installation,
            store: store, pace: pace, metrics: metrics, logger: logger)
    }

    private func history(of store: StoreDoor, verifiers: AppVerifiers, asking server: AppleServer) -> StoreHistory {
        StoreHistory(
            store: store, asking: server, under: settings.claimRules,
            verifier: { verifiers.verifier(for: store.catalogue) },
            cores: ProcessInfo.processInfo.activeProcessorCount, now: clock.now, logger: logger)
    }

    private func dependencies(
        store: StoreDoor, health: ServerHealth, bearers: BearerVerifier, verifiers: AppVerifiers,
        inbox: StoreInbox, history: StoreHistory?, _ receipts: Receipts?, _ reading: MetricsReading
    ) -> API.Dependencies {
        let limits = settings.rateLimits
        return API.Dependencies(
            store: store, settings: settings.entitlements, rules: settings.claimRules,
            signingKeys: health.signingKeys, readiness: health.readiness,
            verifier: { verifiers.verifier(for: store.catalogue) }, inbox: inbox, history: history,
            receipts: receipts,
            cardSecrets: EndpointSecrets(settings.stripe.signingSecrets.map(\.text)),
            cardPage: settings.stripe.manageURL?.text, bearers: bearers,
            appleTokenDays: settings.auth.appleTokenDays,
            rateLimits: RateLimits(
                attachPerMinute: limits.attachPerMinute ?? 0, restorePerMinute: limits.restorePerMinute ?? 0,
                readPerMinute: limits.readPerMinute ?? 0, passwordPerMinute: limits.signInsPerMinute ?? 0,
                appleSignInPerMinute: limits.appleSignInsPerMinute ?? 0),
            allowedOrigins: settings.http.allowedOrigins.map(\.text),
            network: TrustedProxies(ranges: settings.http.trustedProxies).network,
            usersMaySpend: settings.credits.userSpend,
            openAPI: files.openAPI(), cores: ProcessInfo.processInfo.activeProcessorCount, now: clock.now,
            realNow: WallClock.real.now, developmentClock: self.store,
            simulatedServer: self.store, uptime: uptime,
            newRequestID: Surroundings.requestID,
            newID: Surroundings.id,
            logAccess: { [logger, logForm] in AccessLog.take($0, as: logForm, for: logger) },
            metrics: reading.metrics.api,
            metricsPage: MetricsPage(token: settings.http.metricsToken.map { Array($0.text.utf8) }, text: reading.page),
            logger: logger)
    }

    /// The catalogue before the database is open: that of the file, or an empty one.
    private var provisional: CatalogueVersions {
        let catalogue = catalogueFile?.catalogue ?? Catalogue(apps: [], tiers: [], products: [])
        return CatalogueVersions(first: .init(number: 0, effectiveAt: .distantPast, catalogue: catalogue))
    }
}

/// Runs the connection pool while the server runs.
struct PoolService: Service {
    let pool: Pool

    /// Runs until the end. Throws nothing.
    func run() async throws {
        await withGracefulShutdownHandler {
            await pool.run()
        } onGracefulShutdown: {
            pool.shutDown()
        }
    }
}
