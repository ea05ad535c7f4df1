import EntitlementAPI
import Entitlements
import LedgerStore
import Synchronization

/// Knows three keys and what was answered under idempotency keys: enough for tests of what HTTP adds.
final class FakeOperators: OperatorService {
    private struct Kept {
        let digest: Label
        var answer: RememberedAnswer?
    }

    private let kept = Mutex<[Label: Kept]>([:])
    /// Whom each request was about.
    let subjects = Mutex<[IdempotencySubject]>([])
    /// Whether every request's first attempt is still at it.
    private let isBusy: Bool

    /// Who had coverage, whenever it is asked.
    private let covered: [UserID]
    private let late: [LatePassCandidate]
    private let anomalyCandidates: [AnomalyCandidate]
    private let conflicts: [AccountConflict]
    private let testers: [SandboxTester]
    /// What any search finds.
    private let found: [Found]

    init(
        isBusy: Bool = false, covered: [UserID] = [], late: [LatePassCandidate] = [],
        anomalyCandidates: [AnomalyCandidate] = [], conflicts: [AccountConflict] = [], testers: [SandboxTester] = [],
        found: [Found] = []
    ) {
        self.found = found
        self.testers = testers
        self.conflicts = conflicts
        self.anomalyCandidates = anomalyCandidates
        self.late = late
        self.isBusy = isBusy
        self.covered = covered
    }

    func deliveries(
        before id: UInt64?, limit: Int, of result: DeliveryResult?, because reason: DeliveryReason?
    ) async throws(ServiceFailure) -> [RecordedDelivery] { [] }

    func replayDelivery(
        _ id: UInt64, by actor: Actor, reason: String?
    ) async throws(ServiceFailure) -> RecordedDelivery? { nil }

    /// A key for each scope; its secret is 43 of one letter.
    static func secret(_ scope: APIKeyScope) -> String {
        switch scope {
        case .read: "gp_" + String(repeating: "r", count: 43)
        case .write: "gp_" + String(repeating: "w", count: 43)
        case .admin: "gp_" + String(repeating: "a", count: 43)
        }
    }

    func apiKey(for secret: APIKeySecret) async throws(ServiceFailure) -> APIKey? {
        APIKeyScope.allCases.first { Self.secret($0) == secret.text }.map {
            APIKey(id: 1, name: $0.rawValue, scopes: [$0], createdAt: Fixture.now)
        }
    }

    func apiKeys(before id: UInt64?, limit: Int) async throws(ServiceFailure) -> [APIKey] { [] }

    func createAPIKey(
        _ request: APIKeyRequest, by actor: Actor, reason: String?,
        remembering: @escaping @Sendable (APIKey, APIKeySecret) -> RememberedAnswer
    ) async throws(ServiceFailure) -> (key: APIKey, secret: APIKeySecret) {
        throw .notOpen
    }

    func revokeAPIKey(_ id: UInt64, by actor: Actor, reason: String?) async throws(ServiceFailure) -> APIKey? { nil }

    func claim(_ request: IdempotentRequest) async throws(ServiceFailure) -> IdempotencyVerdict {
        subjects.withLock { $0.append(request.subject) }
        guard !isBusy else { return .inProgress }
        return kept.withLock { kept in
            let known = kept[request.key]
            if let known, known.digest != request.digest { return .reused }
            if let answer = known?.answer { return .answered(status: answer.status, body: answer.body, claimant: 1) }
            guard known == nil else { return .inProgress }
            kept[request.key] = Kept(digest: request.digest)
            return .claimed(IdempotencyClaim(owner: "server", key: request.key, claimant: 1))
        }
    }

    func finish(_ answer: RememberedAnswer) async throws(ServiceFailure) {
        kept.withLock { $0[answer.claim.key]?.answer = answer }
    }

    func release(_ claim: IdempotencyClaim) async throws(ServiceFailure) {
        kept.withLock { $0[claim.key] = nil }
    }

    func auditEntries(before id: UInt64?, limit: Int) async throws(ServiceFailure) -> [AuditEntry] { [] }

    func search(_ text: String, under labels: Labels) async throws(ServiceFailure) -> [Found] { found }

    func transactions(before id: UInt64?, limit: Int) async throws(ServiceFailure) -> [RecordedTransaction] { [] }

    func covered(
        after place: CoveredUsers.Place, before endsAt: Instant, limit: Int
    ) async throws(ServiceFailure) -> CoveredUsers {
        let first = place.purchase == .max ? 0 : Int(place.pseudonym) + 1
        let members = covered.indices.dropFirst(first).prefix(limit).map {
            CoveredUsers.Member(user: covered[$0], pseudonym: UInt64($0))
        }
        let last = members.last.flatMap { Int($0.pseudonym) + 1 < covered.count ? $0.pseudonym : nil }
        return CoveredUsers(
            members: members,
            next: last.map { CoveredUsers.Place(expiresAt: place.expiresAt, purchase: 1, pseudonym: $0) })
    }

    func latePassCandidates(before id: UInt64?, limit: Int) async throws(ServiceFailure) -> ListPage<LatePassCandidate>
    {
        page(of: late, before: id, limit: limit, number: \.id)
    }

    func anomalyCandidates(
        before id: UInt64?, limit: Int, of anomaly: Anomaly?, given catalogue: CatalogueVersions
    ) async throws(ServiceFailure) -> ListPage<AnomalyCandidate> {
        let asked = anomalyCandidates.filter { anomaly == nil || (anomaly == .unowned) == ($0.owner == nil) }
        return page(of: asked, before: id, limit: limit, number: \.id)
    }

    func conflicts(before id: UInt64?, limit: Int) async throws(ServiceFailure) -> ListPage<AccountConflict> {
        page(of: conflicts, before: id, limit: limit, number: \.id)
    }

    func sandboxTesters(before id: UInt64?, limit: Int) async throws(ServiceFailure) -> ListPage<SandboxTester> {
        page(of: testers, before: id, limit: limit, number: \.id)
    }

    private func page<Row>(of rows: [Row], before id: UInt64?, limit: Int, number: (Row) -> UInt64) -> ListPage<Row> {
        let found = rows.filter { number($0) < id ?? .max }.sorted { number($0) > number($1) }.prefix(limit)
        return ListPage(rows: Array(found), next: found.count == limit ? found.last.map(number) : nil)
    }
}
