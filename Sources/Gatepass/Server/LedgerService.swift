import AppStore
import EntitlementAPI
import Entitlements
import LedgerStore
import Logging
import MariaDB
import Synchronization

/// The API's service over the ledger in MariaDB.
///
/// It can be asked from the first moment; until the database has been opened every question but the catalogue is answered
/// with `unavailable`, so the process starts without a database and heals when it comes.
final class LedgerService: EntitlementService {
    /// What there is once the database is open; a class, for every request takes it along.
    final class Opened: Sendable {
        let ledger: Ledger
        let reader: LedgerReader
        let accountTokens: AccountTokens
        let shelf: CatalogueShelf
        let keys: SigningKeys
        let export: Export
        let erasure: Erasure

        init(_ pool: Pool, _ shelf: CatalogueShelf, _ keys: SigningKeys, settings: LedgerSettings) {
            ledger = Ledger(
                pool: pool, catalogue: shelf, settings: settings, now: Surroundings.now, salt: Surroundings.noteSalt)
            reader = ledger.reader()
            accountTokens = AccountTokens(pool: pool, now: Surroundings.now, random: Surroundings.accountToken)
            self.shelf = shelf
            self.keys = keys
            export = Export(pool: pool)
            erasure = Erasure(pool: pool, key: settings.tombstoneKey)
        }
    }

    /// What the lock guards.
    private struct State {
        var opened: Opened?
        var isDraining = false
        var keys = KeyHealth()
        var audit = AuditHealth()
    }

    private static let retryAfterSeconds = 1

    private let probe: DatabaseProbe
    private let roots: TrustRoots
    private let now: @Sendable () -> Instant
    private let provisional: CatalogueVersions
    let settings: EntitlementSettings
    private let rules: ClaimRules
    private let logger: Logger
    /// Ends when the database has been opened.
    let opening = Gate()
    private let state = Mutex(State())

    /// `provisional` is the catalogue of the file, for the time before the database's own is known.
    init(
        pool: Pool, roots: TrustRoots, provisional: CatalogueVersions, entitlements: EntitlementSettings,
        rules: ClaimRules, now: @escaping @Sendable () -> Instant, logger: Logger
    ) {
        probe = DatabaseProbe(pool: pool)
        self.roots = roots
        self.now = now
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

    /// The books have been verified.
    func note(_ audit: AuditHealth) {
        state.withLock { $0.audit = audit }
    }

    var catalogue: CatalogueVersions {
        state.withLock { $0.opened }?.shelf.snapshot ?? provisional
    }

    /// Throws `unavailable` while the database is away.
    func attach(
        _ evidence: Evidence, proof: AccountProof?, to user: UserID
    ) async throws(ServiceFailure) -> Result<AttachReply, AttachRefusal> {
        let opened = try opened()
        let purchase = evidence.purchase
        let recorded = try await asking { () throws(DatabaseError) in
            try await opened.ledger.record([evidence], for: [user]) { [rules, settings] history, catalogue in
                let context = ClaimContext(
                    rules: rules, fold: FoldContext(catalogue: catalogue, settings: settings))
                return Attach(purchase, to: user, proof: proof, in: context).decide(given: history)
            }
        }
        return recorded.answer.map { claim in
            let timeline = recorded.timeline(of: user, in: foldContext)
            let at = Attach.answeredAt(recorded.history.now, recording: [purchase])
            let standing = timeline.standing(of: purchase.key, at: at)
            let (outcome, reason) = AttachOutcome.of(claim, standing: standing)
            return AttachReply(outcome: outcome, reason: reason, purchase: purchase, timeline: timeline, at: at)
        }
    }

    /// Throws `unavailable` while the database is away.
    func restore(
        _ items: [RestoreItem], proof: AccountProof?, to user: UserID
    ) async throws(ServiceFailure) -> RestoreReply {
        let opened = try opened()
        let verified = items.map { Restore.Item(index: $0.index, purchase: $0.purchase) }
        let recorded = try await asking { () throws(DatabaseError) in
            try await opened.ledger.record(items.map(\.evidence), for: [user]) { [rules, settings] history, catalogue in
                let context = ClaimContext(
                    rules: rules, fold: FoldContext(catalogue: catalogue, settings: settings))
                return Restore(verified, to: user, proof: proof, in: context).decide(given: history)
            }
        }
        let timeline = recorded.timeline(of: user, in: foldContext)
        let at = Attach.answeredAt(recorded.history.now, recording: items.map(\.purchase))
        let verdicts = verdicts(of: recorded.answer, items: items, standings: timeline.standings(at: at))
        return RestoreReply(
            verdicts: verdicts, history: .notConfigured, recovered: 0, timeline: timeline, at: at)
    }

    /// Throws `unavailable` while the database is away.
    func record<Reply, Refusal>(
        for users: Set<UserID>, keys: Set<PurchaseKey>, everythingOf giver: UserID?, audit: AuditedAct?,
        deciding: @escaping @Sendable (PurchaseHistory, FoldContext) -> Decision<Reply, Refusal>
    ) async throws(ServiceFailure) -> Recorded<Reply, Refusal> {
        let opened = try opened()
        return try await asking { () throws(DatabaseError) in
            try await opened.ledger.record(
                for: users, keys: keys, everythingOf: giver, audit: audit
            ) { [settings] history, catalogue in
                deciding(history, FoldContext(catalogue: catalogue, settings: settings))
            }
        }
    }

    /// Throws `unavailable` while the database is away.
    func ledger(of user: UserID) async throws(ServiceFailure) -> UserLedger {
        let opened = try opened()
        return try await asking { () throws(DatabaseError) in try await opened.reader.ledger(of: user) }
    }

    /// Throws `unavailable` while the database is away.
    func export(of user: UserID) async throws(ServiceFailure) -> String? {
        let opened = try opened()
        return try await asking { () throws(DatabaseError) in try await opened.export.document(of: user) }
    }

    /// Throws `unavailable` while the database is away.
    func erase(
        _ user: UserID, by actor: Actor, reason: String, remembering: @escaping @Sendable () -> RememberedAnswer
    ) async throws(ServiceFailure) -> Bool {
        let opened = try opened()
        let erased = try await asking { () throws(DatabaseError) in
            try await opened.erasure.erase(user, by: actor, reason: reason, remembering: remembering)
        }
        opened.ledger.forget(user)
        return erased != nil
    }

    /// Throws `unavailable` while the database is away.
    func accountToken(of user: UserID) async throws(ServiceFailure) -> AccountToken {
        let opened = try opened()
        return try await asking { () throws(DatabaseError) in try await opened.accountTokens.token(of: user) }
    }

    /// Throws `unavailable` while the database is away, `keysUnusable` when the key that signs cannot be opened.
    func signingKeys() async throws(ServiceFailure) -> SigningKeyRing {
        let opened = try opened()
        let ring: Result<SigningKeyRing, SigningKeyFault>
        do throws(SigningKeyFault) {
            ring = .success(try await opened.keys.ring())
        } catch {
            ring = .failure(error)
        }
        if let message = state.withLock({ $0.keys.note(ring) }) { logger.log(level: message.level, "\(message.text)") }
        switch ring {
        case .success(let ring): return ring
        case .failure(.database): throw .unavailable(retryAfterSeconds: Self.retryAfterSeconds)
        case .failure(.unusable), .failure(.none): throw .keysUnusable(retryAfterSeconds: KeyHealth.retryAfterSeconds)
        }
    }

    func readiness() async -> Readiness {
        let (isOpen, isDraining) = state.withLock { ($0.opened != nil, $0.isDraining) }
        let (keys, audit) = state.withLock { ($0.keys.check, $0.audit.check) }
        let schema = await probe.schemaVersion()
        let expired = roots.roots.filter { !$0.isValid(at: now().milliseconds) }
        return Readiness(checks: [
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
            keys, audit,
            .init(name: "serving", isInOrder: !isDraining, detail: isDraining ? "draining" : "yes"),
        ])
    }

    private func verdicts(
        of answer: Result<[Int: Restore.Verdict], Never>, items: [RestoreItem], standings: [PurchaseKey: Standing]
    ) -> [Int: RestoreReply.Verdict] {
        let keys = Dictionary(uniqueKeysWithValues: items.map { ($0.index, $0.purchase.key) })
        return answer.get().reduce(into: [:]) { verdicts, item in
            switch item.value {
            case .claimed(let claim):
                let standing = keys[item.key].flatMap { standings[$0] }
                let (outcome, reason) = AttachOutcome.of(claim, standing: standing)
                verdicts[item.key] = .settled(outcome, reason)
            case .duplicateInRequest: verdicts[item.key] = .duplicateInRequest
            case .refused(let refusal): verdicts[item.key] = .refused(refusal)
            }
        }
    }

    private var foldContext: FoldContext { FoldContext(catalogue: catalogue, settings: settings) }

    private func opened() throws(ServiceFailure) -> Opened {
        guard let opened = state.withLock({ $0.opened }) else {
            throw .unavailable(retryAfterSeconds: Self.retryAfterSeconds)
        }
        return opened
    }

    /// Every fault of the database is a passing one to the client: what it sent may be sent again without harm.
    private func asking<Answer>(
        _ body: () async throws(DatabaseError) -> Answer
    ) async throws(ServiceFailure) -> Answer {
        do {
            return try await body()
        } catch {
            logger.warning("the database did not answer", metadata: ["error": "\(error)"])
            throw .unavailable(retryAfterSeconds: Self.retryAfterSeconds)
        }
    }
}
