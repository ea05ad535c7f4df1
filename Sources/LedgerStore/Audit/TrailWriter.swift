import Entitlements
import MariaDB

/// Enters into the audit trail what an actor does that is about no person, with the reason.
package struct TrailWriter: Sendable {
    private let actor: Actor
    private let reason: String?
    private let trail: AuditTrail

    package init(by actor: Actor, reason: String?, in trail: AuditTrail) {
        self.actor = actor
        self.reason = reason
        self.trail = trail
    }

    /// Enters it in the transaction that carries it out, as the transaction's last lock.
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
