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

/// The lengths of the ledgers that an act concerns, in the order of the users' ids. A confirmation of a preview names
/// them, so that the act is carried out on these ledgers or not at all.
package struct LedgerLengths: Hashable, Sendable {
    /// The lengths as decimal numbers, with a point between them.
    package let text: String

    /// Nil unless `text` is lengths as ``text`` gives them.
    package init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let areNumbers = parts.allSatisfy { part in Int(part).map { $0 >= 0 && String($0) == part } ?? false }
        guard areNumbers else { return nil }
        self.text = text
    }

    /// The length of one ledger.
    package init(of ledger: UserLedger) { text = String(ledger.entries.count) }

    fileprivate init(of users: some Sequence<UserID>, in history: PurchaseHistory) {
        text = users.sorted().map { String(history.ledger(of: $0).entries.count) }.joined(separator: ".")
    }
}

/// The reason why an act that was previewed is not carried out.
package enum PreviewedRefusal<Refusal: Error>: Error {
    /// A ledger has grown since the preview.
    case outdated
    case refused(Refusal)
}

extension LedgerAct {
    /// This act, which is refused if it would change anything though a ledger no longer has its length of the preview.
    /// A repeat is answered like the first time, because it changes nothing.
    package func asPreviewed(at lengths: LedgerLengths) -> LedgerAct<Reply, PreviewedRefusal<Refusal>> {
        deciding { [users] decision, history in
            guard decision.changesNothing || LedgerLengths(of: users, in: history) == lengths else {
                return Decision(answer: .failure(.outdated))
            }
            return decision.mapRefusal { .refused($0) }
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
    /// False if the act is refused, or repeats an earlier one.
    package let wouldChange: Bool

    /// The lengths of the ledgers before the act.
    package var lengths: LedgerLengths { LedgerLengths(of: users, in: before) }
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
