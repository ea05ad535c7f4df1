import Entitlements
import LedgerStore

extension ServerCall {
    /// Records an operator's act on a user. The audit trail gets an entry with the reason and `details` in the same
    /// transaction.
    ///
    /// - Parameters:
    ///   - other: A second user whom the act concerns and whose ledger `deciding` needs.
    ///   - giver: The user, of these two, whose purchases all move. All of them are locked and loaded.
    /// - Throws: `unavailable`.
    func act<Reply>(
        _ action: AuditAction, on user: UserID, with other: UserID? = nil, everythingOf giver: UserID? = nil,
        keys: Set<PurchaseKey> = [], reason: String?, reference: String? = nil, _ details: [String: String] = [:],
        deciding: @escaping @Sendable (OperatorAct, PurchaseHistory, FoldContext) -> Decision<Reply, OperatorRefusal>
    ) async throws(Problem) -> Result<Reply, OperatorRefusal> {
        let act = OperatorAct(on: user, note: Note(actor: actor.text, reason: reason, reference: reference))
        let audit = AuditedAct(by: actor, action, to: user, with: other, details: details, reason: reason)
        return try await served {
            try await $0.ledger.record(
                for: Set([user, other].compactMap(\.self)), keys: keys, everythingOf: giver, audit: audit
            ) { history, context in deciding(act, history, context) }.answer
        }
    }

    /// Grants `offer` to a user, as the grant `id`. A repeat gives the first grant again.
    ///
    /// - Throws: `unavailable`.
    func give(
        _ offer: OperatorAct.Offer, as id: ExternalID, to user: UserID, reason: String, reference: String
    ) async throws(Problem) -> Result<Told<Grant>, OperatorRefusal> {
        try await act(
            .giveGrant, on: user, keys: [Grant.key(id)], reason: reason, reference: reference,
            offer.auditDetails(as: id, reference: reference)
        ) { act, history, context in
            act.give(offer, as: id, given: history, in: context).tellingRepeats
        }
    }
}

extension Result where Failure == OperatorRefusal {
    /// The reply of the decision.
    ///
    /// - Throws: The problem of the refusal.
    func orProblem() throws(Problem) -> Success {
        switch self {
        case .success(let reply): return reply
        case .failure(let refusal): throw Problem(refusal)
        }
    }
}
