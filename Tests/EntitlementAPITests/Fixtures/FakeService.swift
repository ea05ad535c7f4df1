import EntitlementAPI
import Entitlements
import LedgerStore
import Synchronization

/// A ledger in memory that decides as the real one does: enough for tests of what HTTP adds, and for nothing else.
final class FakeService: EntitlementService {
    struct State {
        var ledgers = FakeLedgers()
        /// When the next request comes.
        var now = Fixture.now
        var failure: ServiceFailure?
        /// How often something was to be recorded.
        var records = 0
        var readiness = Readiness(checks: [Readiness.Check(name: "database", isInOrder: true, detail: "reachable")])
        var signingKeys = [Keys.stored()]
        /// What the audit trail would say.
        var audited: [AuditedAct] = []
        /// Time that a ledger takes to load.
        var delay = Duration.zero
        /// Users whose ledgers do not load before they are let go.
        var held: Set<UserID> = []
        /// How many loads of each ledger are under way, and how many were at most.
        var loads: [UserID: (now: Int, most: Int)] = [:]
    }

    let settings = Fixture.settings
    let rules: ClaimRules
    let state = Mutex(State())
    /// The catalogue, which a test may replace.
    let versions: Mutex<CatalogueVersions>

    init(_ catalogue: CatalogueVersions = Fixture.catalogue, rules: ClaimRules = ClaimRules()) {
        versions = Mutex(catalogue)
        self.rules = rules
    }

    var catalogue: CatalogueVersions { versions.withLock { $0 } }

    var now: Instant { state.withLock { $0.now } }

    func record<Reply, Refusal>(
        _ evidence: [Evidence], for users: Set<UserID>, keys: Set<PurchaseKey>, everythingOf giver: UserID?,
        audit: AuditedAct?,
        deciding: @escaping @Sendable (PurchaseHistory, FoldContext) -> Decision<Reply, Refusal>
    ) async throws(ServiceFailure) -> Recorded<Reply, Refusal> {
        if let failure = state.withLock({ $0.failure }) { throw failure }
        let context = FoldContext(catalogue: catalogue, settings: settings)
        return state.withLock { state in
            state.records += 1
            let isNew = evidence.count { state.ledgers.keep($0, at: state.now) } > 0
            let decision = deciding(state.ledgers.history(at: state.now, isEvidenceNew: isNew), context)
            state.ledgers.apply(decision, at: state.now)
            if let audit, !decision.changesNothing { state.audited.append(audit) }
            return Recorded(
                answer: decision.answer, history: state.ledgers.history(at: state.now, isEvidenceNew: isNew))
        }
    }

    func receive(_ delivery: InboxDelivery) async throws(ServiceFailure) -> StoredDelivery {
        throw .notOpen
    }

    func content(ofDelivery id: UInt64) async throws(ServiceFailure) -> DeliveryContent? { nil }

    func place(_ delivery: ReadDelivery, as id: UInt64) async throws(ServiceFailure) -> DeliveryStanding {
        throw .notOpen
    }

    func noteTextGone(_ id: UInt64) async throws(ServiceFailure) -> DeliveryStanding { throw .notOpen }

    func replays(of digests: Set<[UInt8]>) async throws(ServiceFailure) -> [[UInt8]: Replay] {
        if let failure = state.withLock({ $0.failure }) { throw failure }
        return state.withLock { $0.ledgers.replays(of: digests) }
    }

    func labels() throws(ServiceFailure) -> Labels { Fixture.labels }

    func notes(_ digests: Set<NoteDigest>) async throws(ServiceFailure) -> [NoteDigest: Note] {
        state.withLock { $0.ledgers.notes.filter { digests.contains($0.key) } }
    }

    func ledger(of user: UserID) async throws(ServiceFailure) -> UserLedger {
        let (failure, delay) = state.withLock { ($0.failure, $0.delay) }
        if let failure { throw failure }
        // Lost: that the test is over.
        if delay > .zero { try? await Task.sleep(for: delay) }
        state.withLock { state in
            let load = state.loads[user] ?? (0, 0)
            state.loads[user] = (load.now + 1, max(load.most, load.now + 1))
        }
        defer { state.withLock { $0.loads[user]?.now -= 1 } }
        while state.withLock({ $0.held.contains(user) }) {
            // Lost: that the test is over.
            try? await Task.sleep(for: .milliseconds(2))
        }
        return state.withLock { $0.ledgers[user] }
    }

    func ledger(
        of user: UserID, unless known: LedgerHead?
    ) async throws(ServiceFailure) -> LedgerReader.ReadLedger? {
        let ledger = try await ledger(of: user)
        let newest = ledger.entries.last.map { "\(ledger.entries.count) \($0.recordedAt.milliseconds)" } ?? ""
        let head = LedgerHead(pseudonym: 0, hash: Array(newest.utf8))
        return head == known ? nil : (ledger, head)
    }

    func export(of user: UserID) async throws(ServiceFailure) -> String? {
        state.withLock { $0.ledgers.ledgers[user].map { #"{"user":{"user_id":"\#($0.user.text)"}}"# } }
    }

    func erase(
        _ user: UserID, by actor: Actor, reason: String, remembering: @escaping @Sendable () -> RememberedAnswer
    ) async throws(ServiceFailure) -> Bool {
        state.withLock { state in
            guard state.ledgers.erase(user) else { return false }
            state.audited.append(AuditedAct(by: actor, .erase, to: user, reason: reason))
            return true
        }
    }

    func accountToken(of user: UserID) async throws(ServiceFailure) -> AccountToken {
        guard let token = AccountToken(Fixture.accountToken) else { throw .notOpen }
        state.withLock { $0.ledgers.issue(Fixture.labels.label(of: token), to: user) }
        return token
    }

    func signingKeys() async throws(SigningKeyFault) -> SigningKeyRing {
        let (failure, stored) = state.withLock { ($0.failure, $0.signingKeys) }
        if let failure { throw .database(failure.description) }
        return try SigningKeyRing(of: stored, under: Keys.seal, tokenHours: 72, at: now)
    }

    func readiness() async -> Readiness { state.withLock { $0.readiness } }
}
