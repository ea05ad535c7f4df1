package import Entitlements
package import LedgerStore

/// What the API asks of the storage on behalf of servers and operators.
package protocol OperatorService: Sendable {
    /// The key with this secret, if it counts.
    ///
    /// - Throws: ``ServiceFailure``.
    func apiKey(for secret: APIKeySecret) async throws(ServiceFailure) -> APIKey?

    /// Keys, newest first.
    ///
    /// - Throws: ``ServiceFailure``.
    func apiKeys(before id: UInt64?, limit: Int) async throws(ServiceFailure) -> [APIKey]

    /// Makes a key and keeps the answer, which is made of it, in one transaction.
    ///
    /// - Throws: ``ServiceFailure``.
    func createAPIKey(
        _ request: APIKeyRequest, by actor: Actor, reason: String?,
        remembering: @escaping @Sendable (APIKey, APIKeySecret) -> RememberedAnswer
    ) async throws(ServiceFailure) -> (key: APIKey, secret: APIKeySecret)

    /// Ends a key; nil when there is none. A repeat changes nothing.
    ///
    /// - Throws: ``ServiceFailure``.
    func revokeAPIKey(_ id: UInt64, by actor: Actor, reason: String?) async throws(ServiceFailure) -> APIKey?

    /// What is to be done about a request with a key of its own.
    ///
    /// - Throws: ``ServiceFailure``.
    func claim(_ request: IdempotentRequest) async throws(ServiceFailure) -> IdempotencyVerdict

    /// Keeps the first answer.
    ///
    /// - Throws: ``ServiceFailure``.
    func finish(_ answer: RememberedAnswer) async throws(ServiceFailure)

    /// Gives a key up whose request was refused or failed.
    ///
    /// - Throws: ``ServiceFailure``.
    func release(_ claim: IdempotencyClaim) async throws(ServiceFailure)

    /// The audit trail, newest first.
    ///
    /// - Throws: ``ServiceFailure``.
    func auditEntries(before id: UInt64?, limit: Int) async throws(ServiceFailure) -> [AuditEntry]

    /// Whatever the text is the exact name of.
    ///
    /// - Throws: ``ServiceFailure``.
    func search(_ text: String, under labels: Labels) async throws(ServiceFailure) -> [Found]

    /// Signed states of transactions, the last recorded first.
    ///
    /// - Throws: ``ServiceFailure``.
    func transactions(before id: UInt64?, limit: Int) async throws(ServiceFailure) -> [RecordedTransaction]

    /// Deliveries of stores, of those only that came to `result` and for `reason` if these are given, the last received
    /// first.
    ///
    /// - Throws: ``ServiceFailure``.
    func deliveries(
        before id: UInt64?, limit: Int, of result: DeliveryResult?, because reason: DeliveryReason?
    ) async throws(ServiceFailure) -> [RecordedDelivery]

    /// Has a delivery placed again; nil when there is none.
    ///
    /// - Throws: ``ServiceFailure``.
    func replayDelivery(_ id: UInt64, by actor: Actor, reason: String?) async throws(ServiceFailure)
        -> RecordedDelivery?

    /// Users who had coverage that ends after `place` and begins before `endsAt`.
    ///
    /// - Throws: ``ServiceFailure``.
    func covered(
        after place: CoveredUsers.Place, before endsAt: Instant, limit: Int
    ) async throws(ServiceFailure) -> CoveredUsers

    /// Purchases before `id` that had ended when they became their owners', the last recorded first.
    ///
    /// - Throws: ``ServiceFailure``.
    func latePassCandidates(before id: UInt64?, limit: Int) async throws(ServiceFailure) -> ListPage<LatePassCandidate>

    /// Purchases before `id` that may be `anomaly`, or any if that is nil, the last recorded first: all that are, and
    /// others that only their owners' ledgers tell apart.
    ///
    /// - Throws: ``ServiceFailure``.
    func anomalyCandidates(
        before id: UInt64?, limit: Int, of anomaly: Anomaly?, given catalogue: CatalogueVersions
    ) async throws(ServiceFailure) -> ListPage<AnomalyCandidate>

    /// Apple accounts whose purchases several users have, of which no state was recorded at `id` or later; the one that
    /// a state was last recorded of first.
    ///
    /// - Throws: ``ServiceFailure``.
    func conflicts(before id: UInt64?, limit: Int) async throws(ServiceFailure) -> ListPage<AccountConflict>

    /// Users before `id` who are on the list of sandbox testers, the last user seen for the first time first.
    ///
    /// - Throws: ``ServiceFailure``.
    func sandboxTesters(before id: UInt64?, limit: Int) async throws(ServiceFailure) -> ListPage<SandboxTester>
}
