package import AppStore
package import Entitlements
package import Hummingbird
package import LedgerStore
package import Logging
import NIOCore
package import StripeBilling

/// The JSON API over HTTP. Its clock, randomness and settings are passed in as ``Dependencies``, and it opens no
/// socket.
package struct API: Sendable {
    /// The services and settings of the API. A class, because each request gets a reference to it.
    package final class Dependencies: Sendable {
        let store: StoreDoor
        /// The settings on which answers depend (`semantics.md` §1, *Settings are not facts*).
        let settings: EntitlementSettings
        /// The settings about who may attach a purchase; the catalogue has the ownership policies.
        let rules: ClaimRules
        let signingKeys: @Sendable () async throws(SigningKeyFault) -> SigningKeyRing
        let readiness: @Sendable () async -> Readiness
        /// The verifier of Apple's signed texts, for the apps of the present catalogue.
        let verifier: @Sendable () -> AppStoreVerifier
        let inbox: StoreInbox
        /// The access to Apple's transaction history; nil without App Store credentials.
        let history: StoreHistory?
        /// The access to verifyReceipt; nil without the shared secret, or without App Store credentials.
        let receipts: Receipts?
        /// The secrets with which card billing signs its webhooks; nil if card billing is not configured.
        let cardSecrets: EndpointSecrets?
        /// The page on which users change what they pay by card; nil if none is configured.
        let cardPage: String?
        let bearers: BearerVerifier
        /// The life, in days, of the token that an Apple account gets; nil where none signs in by itself.
        let appleTokenDays: Int?
        let rateLimiter: RateLimiter
        let refusedDeliveries: RefusedDeliveries
        let crossOrigin: CrossOrigin
        package let bodies = BodiesInFlight()
        /// The network that a request came from, computed from the peer's address and `X-Forwarded-For`. Rate limits
        /// count the requests of one network together.
        let network: @Sendable (_ peer: String?, _ forwardedFor: String?) -> [UInt8]
        let foldLine = FoldLine()
        let productLists = ProductLists()
        /// The bytes of `openapi.yaml`, one copy for all answers.
        let openAPI: ByteBuffer
        /// The part of it that an app needs.
        let openAPIForApps: ByteBuffer
        /// The number of tasks that verify the signed texts of one restore at the same time.
        let cores: Int
        /// The server's clock: the `now` of every answer, record and log line. A development server can put it forward.
        let now: @Sendable () -> Instant
        /// The real time, for the dates of users' bearer tokens and of card billing's signatures, and for rate limits.
        let realNow: @Sendable () -> Instant
        /// The control of `now` on a development server; nil where `now` is the real time.
        let developmentClock: (any DevelopmentClock)?
        /// The simulated App Store Server API of a development server; nil elsewhere.
        let simulatedServer: (any SimulatedAppStoreServer)?
        /// A monotonic clock, for durations.
        let uptime: @Sendable () -> Duration
        let newRequestID: @Sendable () -> String
        /// Makes an unguessable id, for example of a reservation.
        let newID: @Sendable () -> String
        /// True if a user's own token may spend and reserve credits; servers always may.
        let usersMaySpend: Bool
        let logAccess: @Sendable (AccessLine) -> Void
        let metrics: APIMetrics
        /// The page of `GET /metrics`; nil if metrics are not served.
        let metricsPage: MetricsPage?
        let logger: Logger

        package init(
            store: StoreDoor, settings: EntitlementSettings, rules: ClaimRules,
            signingKeys: @escaping @Sendable () async throws(SigningKeyFault) -> SigningKeyRing,
            readiness: @escaping @Sendable () async -> Readiness,
            verifier: @escaping @Sendable () -> AppStoreVerifier, inbox: StoreInbox, history: StoreHistory?,
            receipts: Receipts? = nil,
            cardSecrets: EndpointSecrets?, cardPage: String? = nil, bearers: BearerVerifier, appleTokenDays: Int? = nil,
            rateLimits: RateLimits = RateLimits(), allowedOrigins: [String] = [],
            network: @escaping @Sendable (_ peer: String?, _ forwardedFor: String?) -> [UInt8],
            usersMaySpend: Bool, openAPI: [UInt8], cores: Int,
            now: @escaping @Sendable () -> Instant, realNow: @escaping @Sendable () -> Instant,
            developmentClock: (any DevelopmentClock)? = nil,
            simulatedServer: (any SimulatedAppStoreServer)? = nil,
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
            self.history = history
            self.receipts = receipts
            self.cardSecrets = cardSecrets
            self.cardPage = cardPage
            self.bearers = bearers
            self.appleTokenDays = appleTokenDays
            rateLimiter = RateLimiter(rateLimits)
            refusedDeliveries = RefusedDeliveries(rateLimiter, logger: logger)
            crossOrigin = CrossOrigin(origins: allowedOrigins)
            self.network = network
            self.openAPI = ByteBuffer(bytes: openAPI)
            openAPIForApps = ByteBuffer(
                string: OpenAPIRoute.part(tagged: "app", of: String(decoding: openAPI, as: UTF8.self)))
            self.cores = cores
            self.now = now
            self.realNow = realNow
            self.developmentClock = developmentClock
            self.simulatedServer = simulatedServer
            self.uptime = uptime
            self.newRequestID = newRequestID
            self.newID = newID
            self.usersMaySpend = usersMaySpend
            self.logAccess = logAccess
            self.metrics = metrics
            self.metricsPage = metricsPage
            self.logger = logger
        }

        /// All versions of the catalogue; until the database is open, the catalogue of the file.
        var catalogue: CatalogueVersions { store.catalogue }

        /// The standing of a ledger at the instant `at`. `explains` adds the explanation of each entitlement.
        func standing(
            _ ledger: UserLedger, _ catalogue: CatalogueVersions, _ at: Instant, explains: Bool = false
        ) -> Standing {
            standings(ledger, catalogue, at, explains: explains)(at)
        }

        /// A function that gives the standing of `ledger` at `start` or any later instant. The ledger is folded once,
        /// with the list of sandbox testers as it is at `start`.
        func standings(
            _ ledger: UserLedger, _ catalogue: CatalogueVersions, _ start: Instant, explains: Bool = false
        ) -> (Instant) -> Standing {
            let timeline = Timeline(folding: ledger, given: catalogue, settings: settings, testersAt: start)
            return { Standing(of: ledger, in: timeline, at: $0, explains: explains) }
        }
    }

    private let dependencies: Dependencies
    private let endpoints: [Endpoint]
    let table: RouteTable
    let limits: ServerLimits
    let places: ConnectionPlaces

    /// - Parameters:
    ///   - others: The endpoints of other modules; they get the same treatment by ``Envelope``.
    ///   - isInDevelopment: True under `gatepass dev`. Otherwise the endpoints marked ``Endpoint/inDevelopmentOnly``
    ///     are left out.
    package init(
        _ dependencies: Dependencies, adding others: [Endpoint] = [], isInDevelopment: Bool,
        limits: ServerLimits = ServerLimits()
    ) {
        self.init(
            dependencies, (Routes.all + others).filter { isInDevelopment || !$0.isInDevelopmentOnly }, limits)
    }

    /// The API of the separate metrics port: `GET /metrics` alone, without authentication.
    package init(servingMetricsOf dependencies: Dependencies) {
        self.init(dependencies, [.open(.get, "/metrics", MetricsRoute.respondOpenly)], ServerLimits())
    }

    /// The API of a port of its own that serves nothing but `endpoints`.
    package init(_ dependencies: Dependencies, servingOnly endpoints: [Endpoint]) {
        self.init(dependencies, endpoints, ServerLimits())
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

    /// The router of all endpoints. Every request and answer passes through ``Envelope``.
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
