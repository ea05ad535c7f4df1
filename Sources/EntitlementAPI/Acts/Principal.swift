package import Entitlements
package import LedgerStore

/// The user whom an act is about, and the server or operator who carries it out; the user, if nobody else does.
///
/// Every act that is recorded in a user's ledger is a function of the principal. Routes, commands and pages record
/// what it returns, or preview it.
package struct Principal: Sendable {
    package let user: UserID
    /// The server or operator; nil if the user acts.
    package let actor: Actor?

    package init(user: UserID, actor: Actor?) {
        self.user = user
        self.actor = actor
    }

    /// The note to store beside a fact; nil if it would be empty.
    func note(reason: String? = nil, reference: String? = nil) -> Note? {
        guard actor != nil || reason != nil || reference != nil else { return nil }
        return Note(actor: actor?.text, reason: reason, reference: reference)
    }

    /// The member `reason` of a server's request; nil for a user, whose request has none.
    ///
    /// - Throws: `invalid_request` if it is no text or too long.
    func reason(in body: JSONBody) throws(Problem) -> String? {
        actor == nil ? nil : try body.reason()
    }

    /// The act for the audit trail; nil for a user's own act, which is not audited.
    func audit(
        _ action: AuditAction, with other: UserID? = nil, reason: String? = nil, _ details: [String: String] = [:]
    ) -> AuditedAct? {
        actor.map { AuditedAct(by: $0, action, to: user, with: other, details: details, reason: reason) }
    }

    /// An act of an operator on this user.
    ///
    /// - Parameters:
    ///   - other: A second user whom the act concerns and whose ledger `deciding` needs.
    ///   - giver: The user, of these two, whose purchases all move.
    func operating<Reply>(
        _ action: AuditAction, with other: UserID? = nil, everythingOf giver: UserID? = nil,
        keys: Set<PurchaseKey> = [], reason: String?, reference: String? = nil, _ details: [String: String] = [:],
        deciding: @escaping @Sendable (OperatorAct, PurchaseHistory, FoldContext) -> Decision<Reply, OperatorRefusal>
    ) -> LedgerAct<Reply, OperatorRefusal> {
        let act = OperatorAct(on: user, note: Note(actor: actor?.text, reason: reason, reference: reference))
        return LedgerAct(
            for: Set([user, other].compactMap(\.self)), keys: keys, everythingOf: giver,
            audit: audit(action, with: other, reason: reason, details)
        ) { history, context in deciding(act, history, context) }
    }
}

/// The reply of a decision, and whether the decision repeats an earlier one.
package struct Told<Reply: Sendable>: Sendable {
    package let reply: Reply
    package let isRepeat: Bool
}

extension Decision {
    /// This decision, with a reply that says whether it repeats an earlier one.
    var tellingRepeats: Decision<Told<Reply>, Refusal> {
        let isRepeat = changesNothing
        return mapReply { Told(reply: $0, isRepeat: isRepeat) }
    }
}
