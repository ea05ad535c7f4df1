package import Entitlements
package import LedgerStore

/// What the API asks of the module that stores the ledger. The API knows no SQL, and the storage knows no HTTP.
///
/// A refusal is returned, a fault of the world is thrown. Every call may be repeated: a repeat answers like the first.
package protocol EntitlementService: Sendable {
    /// Keeps `evidence`, and records what `deciding` decides over the ledgers of `users` and the purchases named, all
    /// under locks.
    ///
    /// - Parameters:
    ///   - keys: The purchases that the decision may move or bind.
    ///   - giver: Somebody all of whose purchases it may move.
    ///   - audit: What the audit trail says of it if it changes anything; nil for what users do themselves.
    ///   - deciding: Must be pure, for it may run several times; the catalogue it is handed is the newest.
    /// - Throws: ``ServiceFailure``.
    func record<Reply, Refusal>(
        _ evidence: [Evidence], for users: Set<UserID>, keys: Set<PurchaseKey>, everythingOf giver: UserID?,
        audit: AuditedAct?,
        deciding: @escaping @Sendable (PurchaseHistory, FoldContext) -> Decision<Reply, Refusal>
    ) async throws(ServiceFailure) -> Recorded<Reply, Refusal>

    /// Stores a delivery before anything is done about it; the same content under the same id is stored once.
    ///
    /// - Throws: ``ServiceFailure``.
    func receive(_ delivery: InboxDelivery) async throws(ServiceFailure) -> StoredDelivery

    /// The text of a delivery; nil when it was erased.
    ///
    /// - Throws: ``ServiceFailure``.
    func content(ofDelivery id: UInt64) async throws(ServiceFailure) -> DeliveryContent?

    /// Places a stored delivery, and returns what became of it.
    ///
    /// - Throws: ``ServiceFailure``.
    func place(_ delivery: ReadDelivery, as id: UInt64) async throws(ServiceFailure) -> DeliveryStanding

    /// Notes that nothing is left of a stored delivery that could be placed.
    ///
    /// - Throws: ``ServiceFailure``.
    func noteTextGone(_ id: UInt64) async throws(ServiceFailure) -> DeliveryStanding

    /// Those of the texts with these SHA-256 digests that were verified before.
    ///
    /// - Throws: ``ServiceFailure``.
    func replays(of digests: Set<[UInt8]>) async throws(ServiceFailure) -> [[UInt8]: Replay]

    /// The labels of this installation.
    ///
    /// - Throws: ``ServiceFailure``.
    func labels() throws(ServiceFailure) -> Labels

    /// The words of these digests, as far as they are there.
    ///
    /// - Throws: ``ServiceFailure``.
    func notes(_ digests: Set<NoteDigest>) async throws(ServiceFailure) -> [NoteDigest: Note]

    /// The user's ledger; empty for a user who has never been seen.
    ///
    /// - Throws: ``ServiceFailure``.
    func ledger(of user: UserID) async throws(ServiceFailure) -> UserLedger

    /// The same with what names its state; nil while that is `known`.
    ///
    /// - Throws: ``ServiceFailure``.
    func ledger(of user: UserID, unless known: LedgerHead?) async throws(ServiceFailure) -> LedgerReader.ReadLedger?

    /// All that is held of a user, as a JSON object; nil for one who has never been seen.
    ///
    /// - Throws: ``ServiceFailure``.
    func export(of user: UserID) async throws(ServiceFailure) -> String?

    /// Erases a user and keeps the answer in the same transaction; false for one who has never been seen.
    ///
    /// - Throws: ``ServiceFailure``.
    func erase(
        _ user: UserID, by actor: Actor, reason: String, remembering: @escaping @Sendable () -> RememberedAnswer
    ) async throws(ServiceFailure) -> Bool

    /// The token that the user's app hands to the App Store; issued at the first call, the same ever after.
    ///
    /// - Throws: ``ServiceFailure``.
    func accountToken(of user: UserID) async throws(ServiceFailure) -> AccountToken

    /// The keys of entitlement tokens; the first is made when there is none.
    ///
    /// - Throws: ``SigningKeyFault``.
    func signingKeys() async throws(SigningKeyFault) -> SigningKeyRing

    /// What is sold, as known when it is asked for.
    var catalogue: CatalogueVersions { get }

    /// What answers depend on beside facts and catalogue.
    var settings: EntitlementSettings { get }

    /// Who may claim a purchase, beside what the catalogue says.
    var rules: ClaimRules { get }

    /// Whether requests can be served, check by check.
    func readiness() async -> Readiness
}

/// Whether requests can be served.
package struct Readiness: Hashable, Sendable {
    /// One thing that must be in order.
    package struct Check: Hashable, Sendable {
        package let name: String
        package let isInOrder: Bool
        /// For operators; it names no user and holds no secret.
        package let detail: String

        package init(name: String, isInOrder: Bool, detail: String) {
            self.name = name
            self.isInOrder = isInOrder
            self.detail = detail
        }
    }

    package let checks: [Check]

    package init(checks: [Check]) {
        self.checks = checks
    }

    package var isReady: Bool { checks.allSatisfy(\.isInOrder) }
}
