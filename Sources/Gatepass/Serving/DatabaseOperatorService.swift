import EntitlementAPI
import Entitlements
import LedgerStore
import Logging
import MariaDB

/// What servers and operators ask, over MariaDB; while the database is away every question is answered with
/// `unavailable`.
struct DatabaseOperatorService: OperatorService {
    private let pool: Pool
    private let keys: APIKeys
    private let idempotency: IdempotencyKeys
    private let reader: OperatorReader
    private let inbox: Inbox
    private let logger: Logger

    init(pool: Pool, clock: WallClock, logger: Logger) {
        self.pool = pool
        self.logger = logger
        keys = APIKeys(pool: pool)
        idempotency = IdempotencyKeys(pool: pool, clock: clock)
        reader = OperatorReader(pool: pool)
        inbox = Inbox(pool: pool, now: clock.now, realNow: WallClock.real.now)
    }

    /// Throws `unavailable` while the database is away.
    func apiKey(for secret: APIKeySecret) async throws(ServiceFailure) -> APIKey? {
        try await asking { () throws(ServiceFailure) in try await keys.key(for: secret) }
    }

    /// Throws `unavailable` while the database is away.
    func apiKeys(before id: UInt64?, limit: Int) async throws(ServiceFailure) -> [APIKey] {
        try await asking { () throws(ServiceFailure) in try await keys.page(before: id, limit: limit) }
    }

    /// Throws `unavailable` while the database is away.
    func createAPIKey(
        _ request: APIKeyRequest, by actor: Actor, reason: String?,
        remembering: @escaping @Sendable (APIKey, APIKeySecret) -> RememberedAnswer
    ) async throws(ServiceFailure) -> (key: APIKey, secret: APIKeySecret) {
        try await asking { () throws(ServiceFailure) in
            try await keys.create(request, by: actor, reason: reason, remembering: remembering)
        }
    }

    /// Throws `unavailable` while the database is away.
    func revokeAPIKey(_ id: UInt64, by actor: Actor, reason: String?) async throws(ServiceFailure) -> APIKey? {
        try await asking { () throws(ServiceFailure) in try await keys.revoke(id, by: actor, reason: reason) }
    }

    /// Throws `unavailable` while the database is away.
    func claim(_ request: IdempotentRequest) async throws(ServiceFailure) -> IdempotencyVerdict {
        try await asking { () throws(ServiceFailure) in try await idempotency.claim(request) }
    }

    /// Throws `unavailable` while the database is away.
    func finish(_ answer: RememberedAnswer) async throws(ServiceFailure) {
        try await asking { () throws(ServiceFailure) in try await idempotency.finish(answer) }
    }

    /// Throws `unavailable` while the database is away.
    func release(_ claim: IdempotencyClaim) async throws(ServiceFailure) {
        try await asking { () throws(ServiceFailure) in try await idempotency.release(claim) }
    }

    /// Throws `unavailable` while the database is away.
    func auditEntries(before id: UInt64?, limit: Int) async throws(ServiceFailure) -> [AuditEntry] {
        try await asking { () throws(ServiceFailure) in
            try await AuditTrail.page(before: id, limit: limit, from: pool)
        }
    }

    /// Throws `unavailable` while the database is away.
    func search(_ text: String, under labels: Labels) async throws(ServiceFailure) -> [Found] {
        try await asking { () throws(ServiceFailure) in try await reader.search(text, under: labels) }
    }

    /// Throws `unavailable` while the database is away.
    func transactions(before id: UInt64?, limit: Int) async throws(ServiceFailure) -> [RecordedTransaction] {
        try await asking { () throws(ServiceFailure) in try await reader.transactions(before: id, limit: limit) }
    }

    /// Throws `unavailable` while the database is away.
    func deliveries(
        before id: UInt64?, limit: Int, of result: DeliveryResult?, because reason: DeliveryReason?
    ) async throws(ServiceFailure) -> [RecordedDelivery] {
        try await asking { () throws(ServiceFailure) in
            try await reader.deliveries(before: id, limit: limit, of: result, because: reason)
        }
    }

    /// Throws `unavailable` while the database is away.
    func replayDelivery(
        _ id: UInt64, by actor: Actor, reason: String?
    ) async throws(ServiceFailure) -> RecordedDelivery? {
        try await asking { () throws(ServiceFailure) in
            try await inbox.replay(id, by: actor, reason: reason, audit: AuditTrail())
        }
    }

    /// Throws `unavailable` while the database is away.
    func covered(
        after place: CoveredUsers.Place, before endsAt: Instant, limit: Int
    ) async throws(ServiceFailure) -> CoveredUsers {
        try await asking { () throws(ServiceFailure) in
            try await reader.covered(after: place, before: endsAt, limit: limit)
        }
    }

    /// Throws `unavailable` while the database is away.
    func latePassCandidates(before id: UInt64?, limit: Int) async throws(ServiceFailure) -> ListPage<LatePassCandidate>
    {
        try await asking { () throws(ServiceFailure) in try await reader.latePassCandidates(before: id, limit: limit) }
    }

    /// Throws `unavailable` while the database is away.
    func anomalyCandidates(
        before id: UInt64?, limit: Int, of anomaly: Anomaly?, given catalogue: CatalogueVersions
    ) async throws(ServiceFailure) -> ListPage<AnomalyCandidate> {
        try await asking { () throws(ServiceFailure) in
            try await reader.anomalyCandidates(before: id, limit: limit, of: anomaly, given: catalogue)
        }
    }

    /// Throws `unavailable` while the database is away.
    func conflicts(before id: UInt64?, limit: Int) async throws(ServiceFailure) -> ListPage<AccountConflict> {
        try await asking { () throws(ServiceFailure) in try await reader.conflicts(before: id, limit: limit) }
    }

    /// Throws `unavailable` while the database is away.
    func sandboxTesters(before id: UInt64?, limit: Int) async throws(ServiceFailure) -> ListPage<SandboxTester> {
        try await asking { () throws(ServiceFailure) in try await reader.sandboxTesters(before: id, limit: limit) }
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

extension AuditTrail {
    /// With the process's randomness.
    init() {
        self.init(salt: { Surroundings.randomBytes(AuditTrail.saltBytes) })
    }
}

extension APIKeys {
    /// With the real time, for they are a sign-in, and the process's randomness.
    convenience init(pool: Pool) {
        self.init(pool: pool, audit: AuditTrail(), now: Surroundings.now, random: Surroundings.apiKeySecret)
    }
}

extension IdempotencyKeys {
    /// With the process's randomness.
    init(pool: Pool, clock: WallClock) {
        self.init(pool: pool, now: clock.now, random: Surroundings.attemptName)
    }
}
