package import Entitlements
package import LedgerStore

/// What the API asks of whoever keeps the ledger; it knows no SQL, and the keeper knows no HTTP.
///
/// A refusal is returned, a fault of the world is thrown. Every call may be repeated: a repeat answers like the first.
package protocol EntitlementService: Sendable {
    /// Records a verified purchase and, unless refused, binds it to the user.
    ///
    /// - Parameters:
    ///   - proof: The Apple account, if the request proved one.
    /// - Throws: ``ServiceFailure``.
    func attach(
        _ evidence: Evidence, proof: AccountProof?, to user: UserID
    ) async throws(ServiceFailure) -> Result<AttachReply, AttachRefusal>

    /// Records all items and gives each its own verdict, in one unit of work.
    ///
    /// - Parameter items: What passed verification, in the request's order; may be empty.
    /// - Throws: ``ServiceFailure``.
    func restore(
        _ items: [RestoreItem], proof: AccountProof?, to user: UserID
    ) async throws(ServiceFailure) -> RestoreReply

    /// Records what `deciding` decides over the ledgers of `users` and the purchases named, all under locks.
    ///
    /// - Parameters:
    ///   - keys: The purchases that the decision may move or bind.
    ///   - giver: Somebody all of whose purchases it may move.
    ///   - audit: What the audit trail says of it if it changes anything; nil for what users do themselves.
    ///   - deciding: Must be pure, for it may run several times; the catalogue it is handed is the newest.
    /// - Throws: ``ServiceFailure``.
    func record<Reply, Refusal>(
        for users: Set<UserID>, keys: Set<PurchaseKey>, everythingOf giver: UserID?, audit: AuditedAct?,
        deciding: @escaping @Sendable (PurchaseHistory, FoldContext) -> Decision<Reply, Refusal>
    ) async throws(ServiceFailure) -> Recorded<Reply, Refusal>

    /// The user's ledger; empty for a user who has never been seen.
    ///
    /// - Throws: ``ServiceFailure``.
    func ledger(of user: UserID) async throws(ServiceFailure) -> UserLedger

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
    /// - Throws: ``ServiceFailure``, `keysUnusable` where only an operator can help.
    func signingKeys() async throws(ServiceFailure) -> SigningKeyRing

    /// What is sold, as known when it is asked for.
    var catalogue: CatalogueVersions { get }

    /// What answers depend on beside facts and catalogue.
    var settings: EntitlementSettings { get }

    /// Whether requests can be served, check by check.
    func readiness() async -> Readiness
}

/// A passing fault of what the server stands on; the same request may be sent again.
package enum ServiceFailure: Error, Hashable, Sendable {
    case unavailable(retryAfterSeconds: Int)
    /// The key that signs entitlement tokens cannot be opened; the log says what to do.
    case keysUnusable(retryAfterSeconds: Int)
}

/// What became of one purchase, and what the user has now.
package struct AttachReply: Sendable {
    package let outcome: AttachOutcome
    package let reason: AttachReason?
    package let purchase: VerifiedPurchase
    package let timeline: Timeline
    /// The instant that the answer is for: not before the purchase date just recorded (`semantics.md` §2).
    package let at: Instant

    package init(
        outcome: AttachOutcome, reason: AttachReason?, purchase: VerifiedPurchase, timeline: Timeline, at: Instant
    ) {
        self.outcome = outcome
        self.reason = reason
        self.purchase = purchase
        self.timeline = timeline
        self.at = at
    }
}

/// One item of a restore that passed verification.
package struct RestoreItem: Sendable {
    /// Its place in the request.
    package let index: Int
    package let evidence: Evidence

    package var purchase: VerifiedPurchase { evidence.purchase }

    package init(index: Int, evidence: Evidence) {
        self.index = index
        self.evidence = evidence
    }
}

/// The verdicts of a restore.
package struct RestoreReply: Sendable {
    /// What became of one item.
    package enum Verdict: Hashable, Sendable {
        case settled(AttachOutcome, AttachReason?)
        /// Another item about the same purchase has the verdict (`semantics.md` §6).
        case duplicateInRequest
        case refused(AttachRefusal)
    }

    /// What Apple's transaction history added; the raw value is what the API writes.
    package enum History: String, Hashable, Sendable, CaseIterable {
        case complete
        /// Asked less than ten minutes ago.
        case recent
        case unavailable
        case notConfigured = "not_configured"
    }

    /// By the items' indexes; each item has one.
    package let verdicts: [Int: Verdict]
    package let history: History
    /// Purchases that the history brought and the client did not send.
    package let recovered: Int
    /// What the user has now.
    package let timeline: Timeline
    /// The instant that the answer is for.
    package let at: Instant

    package init(verdicts: [Int: Verdict], history: History, recovered: Int, timeline: Timeline, at: Instant) {
        self.verdicts = verdicts
        self.history = history
        self.recovered = recovered
        self.timeline = timeline
        self.at = at
    }
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
