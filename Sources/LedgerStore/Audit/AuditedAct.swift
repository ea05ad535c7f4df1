package import Entitlements
import MariaDB

/// An act of an operator or a server to a person. It is entered into the audit trail if it changes anything.
package struct AuditedAct: Hashable, Sendable {
    package let actor: Actor
    package let action: AuditAction
    /// The user to whom the act is done.
    package let subject: UserID
    /// A second person whom the act concerns. The trail has only the pseudonym of that person, so that no name is left
    /// after an erasure.
    package let other: UserID?
    /// The details of the act, by name; they are erased with either of the two people.
    package let details: [String: String]
    /// The reason, in the actor's words; it is erased with either of the two people.
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

    /// The record for the audit trail, after the act was carried out on `workspace`. Throws `.misuse` if one of the
    /// act's people is not in the workspace.
    func record(on workspace: Workspace) throws(DatabaseError) -> AuditRecord {
        AuditRecord(
            at: workspace.now, actor: actor, action: action, subject: try Self.pseudonym(of: subject, in: workspace),
            otherSubject: try other.map { (user) throws(DatabaseError) in try Self.pseudonym(of: user, in: workspace) },
            details: details, reason: reason)
    }

    private static func pseudonym(of user: UserID, in workspace: Workspace) throws(DatabaseError) -> UInt64 {
        guard let person = workspace.people[user] else { throw DatabaseError(.misuse, statement: "audit act") }
        return person.head.pseudonym
    }
}
