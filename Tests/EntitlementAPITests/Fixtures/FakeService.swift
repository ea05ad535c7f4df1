import EntitlementAPI
import Entitlements
import LedgerStore
import Synchronization

/// A ledger in memory that binds whatever comes first: enough for tests of what HTTP adds, and for nothing else.
final class FakeService: EntitlementService {
    struct State {
        var ledgers = FakeLedgers()
        /// When the next request comes.
        var now = Fixture.now
        var failure: ServiceFailure?
        var refusal: AttachRefusal?
        var proofs: [AccountProof?] = []
        var calls = 0
        var readiness = Readiness(checks: [Readiness.Check(name: "database", isInOrder: true, detail: "reachable")])
        var signingKeys = [Keys.stored()]
        /// What the audit trail would say.
        var audited: [AuditedAct] = []
        /// Time that a ledger takes to load.
        var delay = Duration.zero
    }

    let catalogue: CatalogueVersions
    let settings = Fixture.settings
    let state = Mutex(State())

    init(_ catalogue: CatalogueVersions = Fixture.catalogue) {
        self.catalogue = catalogue
    }

    var now: Instant { state.withLock { $0.now } }

    func attach(
        _ evidence: Evidence, proof: AccountProof?, to user: UserID
    ) async throws(ServiceFailure) -> Result<AttachReply, AttachRefusal> {
        if let failure = state.withLock({ $0.failure }) { throw failure }
        return state.withLock { state in
            state.calls += 1
            state.proofs.append(proof)
            if let refusal = state.refusal { return .failure(refusal) }
            let purchase = evidence.purchase
            let outcome = state.ledgers.attach(purchase, to: user, at: state.now)
            return .success(
                AttachReply(
                    outcome: outcome, reason: nil, purchase: purchase, timeline: timeline(state.ledgers[user]),
                    at: state.now))
        }
    }

    func restore(
        _ items: [RestoreItem], proof: AccountProof?, to user: UserID
    ) async throws(ServiceFailure) -> RestoreReply {
        if let failure = state.withLock({ $0.failure }) { throw failure }
        return state.withLock { state in
            var seen: Set<PurchaseKey> = []
            var verdicts: [Int: RestoreReply.Verdict] = [:]
            for item in items {
                guard seen.insert(item.purchase.key).inserted else {
                    verdicts[item.index] = .duplicateInRequest
                    continue
                }
                verdicts[item.index] =
                    state.refusal.map { .refused($0) }
                    ?? .settled(state.ledgers.attach(item.purchase, to: user, at: state.now), nil)
            }
            return RestoreReply(
                verdicts: verdicts, history: .notConfigured, recovered: 0, timeline: timeline(state.ledgers[user]),
                at: state.now)
        }
    }

    private func timeline(_ ledger: UserLedger) -> Timeline {
        Timeline(folding: ledger, given: catalogue, settings: settings)
    }

    func record<Reply, Refusal>(
        for users: Set<UserID>, keys: Set<PurchaseKey>, everythingOf giver: UserID?, audit: AuditedAct?,
        deciding: @escaping @Sendable (PurchaseHistory, FoldContext) -> Decision<Reply, Refusal>
    ) async throws(ServiceFailure) -> Recorded<Reply, Refusal> {
        if let failure = state.withLock({ $0.failure }) { throw failure }
        let context = FoldContext(catalogue: catalogue, settings: settings)
        return state.withLock { state in
            let decision = deciding(state.ledgers.history(at: state.now), context)
            state.ledgers.apply(decision, at: state.now)
            if let audit, !decision.changesNothing { state.audited.append(audit) }
            return Recorded(answer: decision.answer, history: state.ledgers.history(at: state.now))
        }
    }

    func ledger(of user: UserID) async throws(ServiceFailure) -> UserLedger {
        let (failure, delay) = state.withLock { ($0.failure, $0.delay) }
        if let failure { throw failure }
        // Lost: that the test is over.
        if delay > .zero { try? await Task.sleep(for: delay) }
        return state.withLock { $0.ledgers[user] }
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
        guard let token = AccountToken("0F3B8C9E-5F6D-4A7B-8C9D-0E1F2A3B4C5D") else {
            throw .unavailable(retryAfterSeconds: 1)
        }
        return token
    }

    func signingKeys() async throws(ServiceFailure) -> SigningKeyRing {
        let (failure, stored) = state.withLock { ($0.failure, $0.signingKeys) }
        if let failure { throw failure }
        do throws(SigningKeyFault) {
            return try SigningKeyRing(of: stored, under: Keys.seal, tokenHours: 72, at: now)
        } catch {
            throw .keysUnusable(retryAfterSeconds: 30)
        }
    }

    func readiness() async -> Readiness { state.withLock { $0.readiness } }
}
