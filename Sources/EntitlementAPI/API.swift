package import AppStore
package import Entitlements
package import Hummingbird
package import LedgerStore
package import Logging
import NIOCore
package import StripeBilling

/// The JSON API over HTTP, made of what is handed in: it has no clock, no randomness, no environment and no socket.
package struct API: Sendable {
    /// The services and settings of the API; a class, for every request takes it along.
    package final class Dependencies: Sendable {
        /// A status, and the first instant at which it may change.
        struct Folded: Sendable {
            let status: Status
            let holdsUntil: Instant
        }

        let store: StoreDoor
        /// The settings on which answers depend, beside facts and catalogue.
        let settings: EntitlementSettings
        /// The rules of claims, beside those of the catalogue.
        let rules: ClaimRules
        let signingKeys: @Sendable () async throws(SigningKeyFault) -> SigningKeyRing
        let readiness: @Sendable () async -> Readiness
        /// The verifier for the apps that are sold in now.
        let verifier: @Sendable () -> AppStoreVerifier
        let inbox: StoreInbox
        /// The secrets by which card billing signs; nil while it is not configured.
        let cardSecrets: EndpointSecrets?
        let bearers: BearerVerifier
        let rateLimiter: RateLimiter
        let refusedDeliveries: RefusedDeliveries
        let crossOrigin: CrossOrigin
        package let bodies = BodiesInFlight()
        /// The network that a request came from, given the address of the connected peer and `X-Forwarded-For`;
        /// requests of one network count together.
        let network: @Sendable (_ peer: String?, _ forwardedFor: String?) -> [UInt8]
        let statusAnswers = StatusAnswers()
        let foldLine = FoldLine()
        let productLists = ProductLists()
        /// `openapi.yaml`, as it is served: one copy for all answers.
        let openAPI: ByteBuffer
        /// How many tasks verify a restore.
        let cores: Int
        /// The clock of everything that is told, counted and written down.
        let now: @Sendable () -> Instant
        /// The real time, for the login's tokens and for rates.
        let realNow: @Sendable () -> Instant
        /// Where the clock can be put forward; nil where it is the real one.
        let developmentClock: (any DevelopmentClock)?
        /// Time that only goes forward, for durations.
        let uptime: @Sendable () -> Duration
        let newRequestID: @Sendable () -> String
        /// A name for something new that nobody can guess.
        let newID: @Sendable () -> String
        /// True if a user's own token may spend and reserve credits; servers always may.
        let usersMaySpend: Bool
        let logAccess: @Sendable (AccessLine) -> Void
        let metrics: APIMetrics
        /// Nil where nobody may read what is measured.
        let metricsPage: MetricsPage?
        let logger: Logger

        package init(
            store: StoreDoor, settings: EntitlementSettings, rules: ClaimRules,
            signingKeys: @escaping @Sendable () async throws(SigningKeyFault) -> SigningKeyRing,
            readiness: @escaping @Sendable () async -> Readiness,
            verifier: @escaping @Sendable () -> AppStoreVerifier, inbox: StoreInbox, cardSecrets: EndpointSecrets?,
            bearers: BearerVerifier,
            rateLimits: RateLimits = RateLimits(), allowedOrigins: [String] = [],
            network: @escaping @Sendable (_ peer: String?, _ forwardedFor: String?) -> [UInt8],
            usersMaySpend: Bool, openAPI: [UInt8], cores: Int,
            now: @escaping @Sendable () -> Instant, realNow: @escaping @Sendable () -> Instant,
            developmentClock: (any DevelopmentClock)? = nil,
            uptime: @escaping @Sendable () -> Duration,
            newRequestID: @escaping @Sendable () -> String, newID: @escaping @Sendable () -> String,
            logAccess: @escaping @Sendable (AccessLine) -> Void, metrics: APIMetrics,
            metricsPage: MetricsPage? = nil, logger: Logger
        ) {
            self.store = store
            self.settings = settings
            self.rules = rules
            self.signingKeys = signingKeys
            self.readiness = readiness
            self.verifier = verifier
            self.inbox = inbox
            self.cardSecrets = cardSecrets
            self.bearers = bearers
            rateLimiter = RateLimiter(rateLimits)
            refusedDeliveries = RefusedDeliveries(rateLimiter, logger: logger)
            crossOrigin = CrossOrigin(origins: allowedOrigins)
            self.network = network
            self.openAPI = ByteBuffer(bytes: openAPI)
            self.cores = cores
            self.now = now
            self.realNow = realNow
            self.developmentClock = developmentClock
            self.uptime = uptime
            self.newRequestID = newRequestID
            self.newID = newID
            self.usersMaySpend = usersMaySpend
            self.logAccess = logAccess
            self.metrics = metrics
            self.metricsPage = metricsPage
            self.logger = logger
        }

        /// The catalogue as known now.
        var catalogue: CatalogueVersions { store.catalogue }

        /// The status of a ledger at an instant, with its explanation if it `explains`.
        func fold(
            _ ledger: UserLedger, _ catalogue: CatalogueVersions, _ at: Instant, explains: Bool
        ) -> Folded {
            folds(ledger, catalogue, at, explains: explains)(at)
        }

        /// The status of a ledger at `start` and later, while the list of testers stays as it is at `start`. The ledger
        /// is folded once, for any number of instants.
        func folds(
            _ ledger: UserLedger, _ catalogue: CatalogueVersions, _ start: Instant, explains: Bool = false
        ) -> (Instant) -> Folded {
            let timeline = Timeline(folding: ledger, given: catalogue, settings: settings, testersAt: start)
            let testersChangeAt = ledger.nextChangeOfTesters(after: start) ?? .distantFuture
            return { at in
                Folded(
                    status: timeline.status(at: at, explains: explains),
                    holdsUntil: min(timeline.nextChange(after: at), testersChangeAt))
            }
        }
    }

    private let dependencies: Dependencies
    private let endpoints: [Endpoint]
    let table: RouteTable
    let limits: ServerLimits
    let places: ConnectionPlaces

    /// `others` are the endpoints of other modules, behind the same envelope. `isInDevelopment` under `gatepass dev`;
    /// what is in development only is nowhere else.
    package init(
        _ dependencies: Dependencies, adding others: [Endpoint] = [], isInDevelopment: Bool,
        limits: ServerLimits = ServerLimits()
    ) {
        self.init(
            dependencies, (Routes.all + others).filter { isInDevelopment || !$0.isInDevelopmentOnly }, limits)
    }

    /// The endpoint on the port of the metrics, open to anyone who reaches it: `GET /metrics` alone.
    package init(servingMetricsOf dependencies: Dependencies) {
        self.init(dependencies, [.open(.get, "/metrics", MetricsRoute.respondOpenly)], ServerLimits())
    }

    private init(_ dependencies: Dependencies, _ endpoints: [Endpoint], _ limits: ServerLimits) {
        self.dependencies = dependencies
        self.endpoints = endpoints
        self.limits = limits
        table = RouteTable(endpoints)
        places = ConnectionPlaces(maximum: limits.connections)
    }

    var newRequestID: @Sendable () -> String { dependencies.newRequestID }
    var crossOrigin: CrossOrigin { dependencies.crossOrigin }

    /// All routes behind the envelope that every answer goes through.
    package func router() -> Router<APIContext> {
        let router = Router(context: APIContext.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: Envelope(api: dependencies, table: table))
        for endpoint in endpoints {
            router.on(RouterPath(endpoint.path), method: endpoint.method) { [dependencies] request, context in
                try await endpoint.respond(to: request, context, dependencies)
            }
        }
        return router
    }
}
