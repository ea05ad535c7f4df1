package import Entitlements

/// An act to be entered into the audit trail.
package struct AuditRecord: Sendable {
    package let at: Instant
    package let actor: Actor
    package let action: AuditAction
    /// The pseudonym of the person whom the act is about.
    package let subject: UInt64?
    /// The pseudonym of another person whom the act concerns.
    package let otherSubject: UInt64?
    /// The details of the act, by name; they may be erased with the person.
    package let details: [String: String]
    /// The reason, in the actor's words; it may be erased with the person too.
    package let reason: String?

    package init(
        at: Instant, actor: Actor, action: AuditAction, subject: UInt64?, otherSubject: UInt64? = nil,
        details: [String: String], reason: String?
    ) {
        self.at = at
        self.actor = actor
        self.action = action
        self.subject = subject
        self.otherSubject = otherSubject
        self.details = details
        self.reason = reason
    }
}

/// An entry of the audit trail as operators see it.
package struct AuditEntry: Hashable, Sendable {
    package let id: UInt64
    package let at: Instant
    package let actor: String
    package let action: String
    package let subject: UInt64?
    /// The subject's user id; nil if there is no subject, and once the person is erased.
    package let user: UserID?
    /// The pseudonym of another person whom the act concerned.
    package let otherSubject: UInt64?
    /// The details as a JSON object; nil once erased.
    package let details: String?
    package let reason: String?
    package let hash: [UInt8]
}
