import AppStore
import EntitlementAPI
import Entitlements
import LedgerStore
import Logging
import MariaDB
import Synchronization

/// The readiness checks of this server, and the log messages about changes.
final class ServerHealth: Sendable {
    /// The values that the lock guards.
    private struct State {
        var isDraining = false
        var keys = KeyHealth()
        var books = IntegrityHealth()
    }

    private let store: StoreDoor
    private let keys: SigningKeys
    private let roots: TrustRoots
    /// The pace of questions to Apple; nil without App Store credentials.
    private let apple: ApplePace?
    private let clock: WallClock
    private let logger: Logger
    private let writableSchema: SharedQuestion<Int>
    private let lastDeliveries: SharedQuestion<[LastDelivery]>
    private let state = Mutex(State())

    init(
        store: StoreDoor, keys: SigningKeys, pool: Pool, roots: TrustRoots, apple: ApplePace? = nil, clock: WallClock,
        logger: Logger
    ) {
        self.store = store
        self.keys = keys
        self.roots = roots
        self.apple = apple
        self.clock = clock
        self.logger = logger
        // `try?` drops both errors, because the pool logs them.
        writableSchema = SharedQuestion { try? await Schema.writableVersion(in: pool) }
        lastDeliveries = SharedQuestion { try? await StoreFigures.lastDeliveries(in: pool) }
    }

    /// Marks the server as not ready, so that load balancers send it no more requests.
    func drain() {
        state.withLock { $0.isDraining = true }
    }

    /// True if the database has been opened and the process is not ending.
    var isServing: Bool { store.isOpen && !state.withLock { $0.isDraining } }

    /// The result of the last integrity check.
    var books: IntegrityHealth { state.withLock { $0.books } }

    /// Notes the result of an integrity check.
    func note(_ books: IntegrityHealth) {
        state.withLock { $0.books = books }
    }

    /// The keys that sign entitlement tokens. If there is none, the first is made. Throws `SigningKeyFault.database`
    /// while the database cannot be reached.
    func signingKeys() async throws(SigningKeyFault) -> SigningKeyRing {
        let ring: Result<SigningKeyRing, SigningKeyFault>
        do throws(SigningKeyFault) {
            guard store.isOpen else { throw .database(ServiceFailure.notOpen.description) }
            ring = .success(try await keys.ring())
        } catch {
            ring = .failure(error)
        }
        if let message = state.withLock({ $0.keys.note(ring) }) { logger.log(level: message.level, "\(message.text)") }
        return try ring.get()
    }

    func readiness() async -> Readiness {
        let (isOpen, state) = (store.isOpen, state.withLock { $0 })
        async let deliveries = lastDeliveries.answer()
        let schema = await writableSchema.answer()
        let realNow = WallClock.real.now().milliseconds
        let expired = roots.roots.filter { !$0.isValid(at: realNow) }
        let ahead = Span(milliseconds: clock.now().milliseconds - realNow).map {
            Readiness.Check(name: "clock", isInOrder: true, detail: "\($0.text) ahead of the real time")
        }
        let checks: [Readiness.Check] = [
            .init(
                name: "database", isInOrder: schema != nil,
                detail: schema == nil ? "cannot be written to, or lacks a table" : "writable"),
            .init(
                name: "migrations", isInOrder: schema.map(Schema.accepted.contains) ?? false,
                detail: "schema \(schema.map(String.init) ?? "unknown"), accepted \(Schema.accepted)"),
            .init(
                name: "trust_roots", isInOrder: expired.isEmpty,
                detail: expired.first.map { "\($0.subject) is not valid now" } ?? "\(roots.roots.count) loaded"),
            .init(name: "catalogue", isInOrder: isOpen, detail: isOpen ? "in force" : "not loaded yet"),
            state.keys.check, state.books.check, StoreSilence(await deliveries, at: clock.now()).check,
            // A server without Apple still attaches, so the check never fails.
            .init(name: "apple", isInOrder: true, detail: await apple?.words ?? "not configured"),
            .init(name: "serving", isInOrder: !state.isDraining, detail: state.isDraining ? "draining" : "yes"),
        ]
        return Readiness(version: Release.version, checks: checks + [ahead].compactMap(\.self))
    }
}
