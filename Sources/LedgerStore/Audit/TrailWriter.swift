import Entitlements
import MariaDB

/// Enters acts that are about no person into the audit trail, with their actor and reason.
package struct TrailWriter: Sendable {
    private let actor: Actor
    private let reason: String?
    private let trail: AuditTrail

    package init(by actor: Actor, reason: String?, in trail: AuditTrail) {
        self.actor = actor
        self.reason = reason
        self.trail = trail
    }

    /// Enters an act, in the transaction that carries the act out. This call locks the trail's head. The transaction
    /// must take no lock afterwards, so that two transactions cannot deadlock.
    ///
    /// Throws when the database refuses a statement or is away.
    func enter(
        _ action: AuditAction, _ details: [String: String], at now: Instant, in session: Session
    ) throws(DatabaseError) {
        let record = AuditRecord(
            at: now, actor: actor, action: action, subject: nil, details: details, reason: reason)
        try trail.append(record, in: session)
    }
}
