package import Entitlements
import MariaDB

/// What an operator does to a person through the ledger, as the audit trail will tell it if the act changes anything.
package struct AuditedAct: Hashable, Sendable {
    /// The member of the details that has the pseudonym of `other`.
    static let otherPerson = "other_pseudonym"

    package let actor: Actor
    package let action: AuditAction
    /// Whom it is done to.
    package let subject: UserID
    /// Somebody else whom it concerns; the trail names them by pseudonym alone, so that erasing them leaves nothing.
    package let other: UserID?
    /// What exactly, by name; of the subject alone, with whom it is erased.
    package let details: [String: String]
    /// Why, in the actor's words; erased likewise.
    package let reason: String?

    package init(
        by actor: Actor, _ action: AuditAction, to subject: UserID, with other: UserID? = nil,
        details: [String: String] = [:], reason: String? = nil
    ) {
        self.actor = actor
        self.action = action
        self.subject = subject
        self.other = other
        self.details = details
        self.reason = reason
    }

    /// The record of it, once carried out on `workspace`. Throws `.misuse` when the act's people are not in the workspace.
    func record(on workspace: Workspace) throws(DatabaseError) -> AuditRecord {
        var details = details
        if let other { details[Self.otherPerson] = String(try Self.pseudonym(of: other, in: workspace)) }
        return AuditRecord(
            at: workspace.now, actor: actor, action: action, subject: try Self.pseudonym(of: subject, in: workspace),
            details: details, reason: reason)
    }

    private static func pseudonym(of user: UserID, in workspace: Workspace) throws(DatabaseError) -> UInt64 {
        guard let person = workspace.people[user] else { throw DatabaseError(.misuse, statement: "audit act") }
        return person.head.pseudonym
    }
}
