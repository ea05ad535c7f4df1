import EntitlementAPI
import Entitlements
import Synchronization

/// A ledger in memory that binds whatever comes first: enough for tests of what HTTP adds, and for nothing else.
final class FakeService: EntitlementService {
    struct State {
        var ledgers: [UserID: UserLedger] = [:]
        var failure: ServiceFailure?
        var refusal: AttachRefusal?
        var proofs: [AppTransactionID?] = []
        var calls = 0
        var readiness = Readiness(checks: [Readiness.Check(name: "database", isInOrder: true, detail: "reachable")])
        /// Time that a ledger takes to load.
        var delay = Duration.zero
    }

    let catalogue: CatalogueVersions
    let state = Mutex(State())
    private let now: @Sendable () -> Instant

    init(_ catalogue: CatalogueVersions = Fixture.catalogue, now: @escaping @Sendable () -> Instant = { Fixture.now }) {
        self.catalogue = catalogue
        self.now = now
    }

    func attach(
        _ purchase: VerifiedPurchase, jws: String, jwsHash: [UInt8], proof: AppTransactionID?, to user: UserID
    ) async throws(ServiceFailure) -> Result<AttachReply, AttachRefusal> {
        if let failure = state.withLock({ $0.failure }) { throw failure }
        let now = now()
        return state.withLock { state in
            state.calls += 1
            state.proofs.append(proof)
            if let refusal = state.refusal { return .failure(refusal) }
            let outcome = Self.bind(purchase, to: user, &state, at: now)
            let ledger = state.ledgers[user] ?? UserLedger(user: user)
            return .success(AttachReply(outcome: outcome, reason: nil, purchase: purchase, ledger: ledger, at: now))
        }
    }

    func restore(
        _ items: [RestoreItem], proof: AppTransactionID?, to user: UserID
    ) async throws(ServiceFailure) -> RestoreReply {
        if let failure = state.withLock({ $0.failure }) { throw failure }
        let now = now()
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
                    ?? .settled(Self.bind(item.purchase, to: user, &state, at: now), nil)
            }
            let ledger = state.ledgers[user] ?? UserLedger(user: user)
            return RestoreReply(verdicts: verdicts, history: .notConfigured, recovered: 0, ledger: ledger, at: now)
        }
    }

    func ledger(of user: UserID) async throws(ServiceFailure) -> UserLedger {
        let (failure, delay) = state.withLock { ($0.failure, $0.delay) }
        if let failure { throw failure }
        // Lost: that the test is over.
        if delay > .zero { try? await Task.sleep(for: delay) }
        return state.withLock { $0.ledgers[user] } ?? UserLedger(user: user)
    }

    func accountToken(of user: UserID) async throws(ServiceFailure) -> AccountToken {
        guard let token = AccountToken("0F3B8C9E-5F6D-4A7B-8C9D-0E1F2A3B4C5D") else {
            throw .unavailable(retryAfterSeconds: 1)
        }
        return token
    }

    func readiness() async -> Readiness { state.withLock { $0.readiness } }

    private static func bind(
        _ purchase: VerifiedPurchase, to user: UserID, _ state: inout State, at now: Instant
    ) -> AttachOutcome {
        var ledger = state.ledgers[user] ?? UserLedger(user: user)
        guard !ledger.entries.contains(where: { $0.fact == .bound(purchase.key) }) else { return .alreadyAttached }
        ledger.append(
            [(purchase.purchasedAt, .evidence(purchase)), (purchase.purchasedAt, .bound(purchase.key))], at: now)
        state.ledgers[user] = ledger
        return .attached
    }
}
