import AppStore
import EntitlementAPI
import Entitlements
import LedgerStore
import Logging
import MariaDB
import Synchronization

/// The API's service over the ledger in MariaDB.
///
/// It can be asked from the first moment; until the database has been opened every question but the catalogue is
/// answered with `unavailable`, so the process starts without a database and heals when it comes.
final class LedgerService: EntitlementService {
    /// What there is once the database is open; a class, for every request takes it along.
    final class Opened: Sendable {
        let ledger: Ledger
        let reader: LedgerReader
        let accountTokens: AccountTokens
        let inbox: Inbox
        let versionCache: CatalogueVersionCache
        let keys: SigningKeys
        let export: Export
        let erasure: Erasure
        let labels: Labels

        init(
            _ pool: Pool, _ versionCache: CatalogueVersionCache, _ keys: SigningKeys, settings: LedgerSettings,
            clock: WallClock, noteBatch: @escaping @Sendable (_ requests: Int) -> Void
        ) {
            ledger = Ledger(
                pool: pool, catalogue: versionCache, settings: settings, now: clock.now, salt: Surroundings.noteSalt,
                noteBatch: noteBatch)
            reader = ledger.reader()
            accountTokens = AccountTokens(
                pool: pool, labels: settings.labels, now: clock.now, random: Surroundings.accountToken)
            inbox = Inbox(pool: pool, now: clock.now, realNow: WallClock.real.now)
            self.versionCache = versionCache
            self.keys = keys
            export = Export(pool: pool, labels: settings.labels)
            erasure = Erasure(pool: pool, labels: settings.labels, audit: AuditTrail(), now: clock.now)
            labels = settings.labels
        }
    }

    /// What the lock guards.
    private struct State {
        var opened: Opened?
        var isDraining = false
        var keys = KeyHealth()
        var audit = IntegrityHealth()
    }

    private let writableSchema: SharedQuestion<Int>
    private let lastDeliveries: SharedQuestion<[LastDelivery]>
    private let clock: WallClock
    private let roots: TrustRoots
    private let provisional: CatalogueVersions
    let settings: EntitlementSettings
    let rules: ClaimRules
    private let logger: Logger
    /// Ends when the database has been opened.
    let opening = OpeningSignal()
    private let state = Mutex(State())

    /// `provisional` is the catalogue of the file, for the time before the database's own is known.
    init(
        pool: Pool, roots: TrustRoots, provisional: CatalogueVersions, entitlements: EntitlementSettings,
        rules: ClaimRules, clock: WallClock, logger: Logger
    ) {
        // Lost of both: why; it stands in the pool's log.
        writableSchema = SharedQuestion { try? await Schema.writableVersion(in: pool) }
        lastDeliveries = SharedQuestion { try? await StoreFigures.lastDeliveries(in: pool) }
        self.clock = clock
        self.roots = roots
        self.provisional = provisional
        settings = entitlements
        self.rules = rules
        self.logger = logger
    }

    /// The database is there: from now on questions are answered.
    func open(_ opened: Opened) {
        state.withLock { $0.opened = opened }
        opening.open()
    }

    /// No longer ready: load balancers should send nothing more.
    func drain() {
        state.withLock { $0.isDraining = true }
    }

    /// Whether the database has been opened.
    var isOpen: Bool { state.withLock { $0.opened != nil } }

    /// Whether it has, and the process does not end.
    var isServing: Bool { state.withLock { $0.opened != nil && !$0.isDraining } }

    /// What the last check of the books found.
    var books: IntegrityHealth { state.withLock { $0.audit } }

    /// The books have been verified.
    func note(_ audit: IntegrityHealth) {
        state.withLock { $0.audit = audit }
    }

    var catalogue: CatalogueVersions {
        state.withLock { $0.opened }?.versionCache.snapshot ?? provisional
    }

    /// Throws `unavailable` while the database is away.
    func record<Reply, Refusal>(
        _ evidence: [Evidence], for users: Set<UserID>, keys: Set<PurchaseKey>, everythingOf giver: UserID?,
        audit: AuditedAct?,
        deciding: @escaping @Sendable (PurchaseHistory, FoldContext) -> Decision<Reply, Refusal>
    ) async throws(ServiceFailure) -> Recorded<Reply, Refusal> {
        let opened = try opened()
        return try await asking { () throws(ServiceFailure) in
            try await opened.ledger.record(
                evidence, for: users, keys: keys, everythingOf: giver, audit: audit
            ) { [settings] history, catalogue in
                deciding(history, FoldContext(catalogue: catalogue, settings: settings))
            }
        }
    }

    /// Throws `unavailable` while the database is away.
    func receive(_ delivery: InboxDelivery) async throws(ServiceFailure) -> StoredDelivery {
        let opened = try opened()
        return try await asking { () throws(ServiceFailure) in try await opened.inbox.receive(delivery) }
    }

    /// Throws `unavailable` while the database is away.
    func content(ofDelivery id: UInt64) async throws(ServiceFailure) -> DeliveryContent? {
        let opened = try opened()
        return try await asking { () throws(ServiceFailure) in try await opened.inbox.content(of: id) }
    }

    /// Throws `unavailable` while the database is away.
    func place(_ delivery: ReadDelivery, as id: UInt64) async throws(ServiceFailure) -> DeliveryStanding {
        let opened = try opened()
        return try await asking { () throws(ServiceFailure) in
            try await Inbox.place(delivery, as: id, under: rules, in: opened.ledger)
        }
    }

    /// Throws `unavailable` while the database is away.
    func noteTextGone(_ id: UInt64) async throws(ServiceFailure) -> DeliveryStanding {
        let opened = try opened()
        return try await asking { () throws(ServiceFailure) in
            try await Inbox.noteTextGone(id, in: opened.ledger)
        }
    }

    /// Throws `unavailable` while the database is away.
    func replays(of digests: Set<[UInt8]>) async throws(ServiceFailure) -> [[UInt8]: Replay] {
        let opened = try opened()
        return try await asking { () throws(ServiceFailure) in try await opened.reader.replays(of: digests) }
    }

    /// Throws `unavailable` while the database is away.
    func labels() throws(ServiceFailure) -> Labels { try opened().labels }

    /// Throws `unavailable` while the database is away.
    func notes(_ digests: Set<NoteDigest>) async throws(ServiceFailure) -> [NoteDigest: Note] {
        let opened = try opened()
        return try await asking { () throws(ServiceFailure) in try await opened.reader.notes(digests) }
    }

    /// Throws `unavailable` while the database is away.
    func ledger(of user: UserID) async throws(ServiceFailure) -> UserLedger {
        let opened = try opened()
        return try await asking { () throws(ServiceFailure) in try await opened.reader.ledger(of: user) }
    }

    /// Throws `unavailable` while the database is away.
    func ledger(
        of user: UserID, unless known: LedgerHead?
    ) async throws(ServiceFailure) -> LedgerReader.ReadLedger? {
        let opened = try opened()
        return try await asking { () throws(ServiceFailure) in
            try await opened.reader.ledger(of: user, unless: known)
        }
    }

    /// Throws `unavailable` while the database is away.
    func export(of user: UserID) async throws(ServiceFailure) -> String? {
        let opened = try opened()
        return try await asking { () throws(ServiceFailure) in try await opened.export.document(of: user) }
    }

    /// Throws `unavailable` while the database is away.
    func erase(
        _ user: UserID, by actor: Actor, reason: String, remembering: @escaping @Sendable () -> RememberedAnswer
    ) async throws(ServiceFailure) -> Bool {
        let opened = try opened()
        let erased = try await asking { () throws(ServiceFailure) in
            try await opened.erasure.erase(user, by: actor, reason: reason, remembering: remembering)
        }
        opened.ledger.forget(user)
        return erased != nil
    }

    /// Throws `unavailable` while the database is away.
    func accountToken(of user: UserID) async throws(ServiceFailure) -> AccountToken {
        let opened = try opened()
        return try await asking { () throws(ServiceFailure) in try await opened.accountTokens.token(of: user) }
    }

    /// Throws `database` while the database is away.
    func signingKeys() async throws(SigningKeyFault) -> SigningKeyRing {
        let ring: Result<SigningKeyRing, SigningKeyFault>
        do throws(SigningKeyFault) {
            guard let opened = state.withLock({ $0.opened }) else {
                throw .database(ServiceFailure.notOpen.description)
            }
            ring = .success(try await opened.keys.ring())
        } catch {
            ring = .failure(error)
        }
        if let message = state.withLock({ $0.keys.note(ring) }) { logger.log(level: message.level, "\(message.text)") }
        return try ring.get()
    }

    func readiness() async -> Readiness {
        let (isOpen, isDraining) = state.withLock { ($0.opened != nil, $0.isDraining) }
        let (keys, audit) = state.withLock { ($0.keys.check, $0.audit.check) }
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
            keys, audit, StoreSilence(await deliveries, at: clock.now()).check,
            .init(name: "serving", isInOrder: !isDraining, detail: isDraining ? "draining" : "yes"),
        ]
        return Readiness(checks: checks + [ahead].compactMap(\.self))
    }

    private func opened() throws(ServiceFailure) -> Opened {
        guard let opened = state.withLock({ $0.opened }) else { throw .notOpen }
        return opened
    }

    private func asking<Answer>(
        _ body: () async throws(ServiceFailure) -> Answer
    ) async throws(ServiceFailure) -> Answer {
        do {
            return try await body()
        } catch {
            logger.tell(error)
            throw error
        }
    }
}
