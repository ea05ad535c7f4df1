package import Entitlements

/// An act on ledgers, before it is carried out: the users and purchases that it concerns, its entry in the audit trail,
/// and its decision. ``Ledger/record(_:)`` carries it out; ``Ledger/preview(_:)`` only says what it would do.
package struct LedgerAct<Reply: Sendable, Refusal: Error>: Sendable {
    package typealias Deciding = @Sendable (PurchaseHistory, FoldContext) -> Decision<Reply, Refusal>

    let users: Set<UserID>
    let keys: Set<PurchaseKey>
    /// The user whose purchases the act may all give away; nil if there is none.
    let giver: UserID?
    package let audit: AuditedAct?
    package let deciding: Deciding

    package init(
        for users: Set<UserID>, keys: Set<PurchaseKey> = [], everythingOf giver: UserID? = nil, audit: AuditedAct?,
        deciding: @escaping Deciding
    ) {
        self.users = giver.map { users.union([$0]) } ?? users
        self.keys = keys
        self.giver = giver
        self.audit = audit
        self.deciding = deciding
    }

    /// This act, whose decision is changed by `change`.
    package func deciding<NewReply, NewRefusal>(
        _ change: @escaping @Sendable (Decision<Reply, Refusal>, PurchaseHistory) -> Decision<NewReply, NewRefusal>
    ) -> LedgerAct<NewReply, NewRefusal> {
        LedgerAct<NewReply, NewRefusal>(for: users, keys: keys, everythingOf: giver, audit: audit) {
            [deciding] history, context in change(deciding(history, context), history)
        }
    }
}

/// The answer that an act would give, and the ledgers before and after it.
package struct Previewed<Reply: Sendable, Refusal: Error>: Sendable {
    /// The users whom the act concerns, in the order of their ids.
    package let users: [UserID]
    package let answer: Result<Reply, Refusal>
    package let before: PurchaseHistory
    package let after: PurchaseHistory
}

extension Ledger {
    /// Carries out `act`. When this returns, its transaction is committed. Throws like the other `record`.
    package func record<Reply, Refusal>(
        _ act: LedgerAct<Reply, Refusal>
    ) async throws(ServiceFailure) -> Recorded<Reply, Refusal> {
        try await record(
            for: act.users, keys: act.keys, everythingOf: act.giver, audit: act.audit, deciding: act.deciding)
    }
}
