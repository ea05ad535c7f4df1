package import Entitlements

/// Who did something: an operator's key, or somebody at the command line. It is no app user.
package struct Actor: Hashable, Sendable, CustomStringConvertible {
    package let text: String

    /// Somebody who may run the program beside the database.
    package static let commandLine = Actor(text: "command_line")

    private init(text: String) {
        self.text = text
    }

    /// A server, by its key's number, which is never given again, and its name.
    package init(_ key: APIKey) {
        text = "api_key:\(key.id) \(key.name)"
    }

    package var description: String { text }
}

/// What was done, as the trail names it: `noun.verb`, lower case.
package struct AuditAction: Hashable, Sendable {
    package let text: String

    package init(_ text: StaticString) {
        self.text = text.description
    }

    package static let createAPIKey = AuditAction("api_key.create")
    package static let revokeAPIKey = AuditAction("api_key.revoke")
    package static let rotateTokenKey = AuditAction("token_key.rotate")
    package static let applyCatalogue = AuditAction("catalog.apply")
    package static let giveGrant = AuditAction("grant.give")
    package static let revokeGrant = AuditAction("grant.revoke")
    package static let bindPurchase = AuditAction("purchase.bind")
    package static let revokePurchase = AuditAction("purchase.revoke")
    package static let transfer = AuditAction("user.transfer")
    package static let merge = AuditAction("user.merge")
    package static let erase = AuditAction("user.erase")
    package static let nameSandboxTester = AuditAction("sandbox_tester.name")
    package static let unnameSandboxTester = AuditAction("sandbox_tester.unname")
    package static let spendCredits = AuditAction("credits.spend")
    package static let reserveCredits = AuditAction("credits.reserve")
    package static let commitReservation = AuditAction("reservation.commit")
    package static let releaseReservation = AuditAction("reservation.release")
    package static let registerDevice = AuditAction("device.register")
    package static let reactivateDevice = AuditAction("device.reactivate")
    package static let suspendDevice = AuditAction("device.suspend")
    package static let seeDevice = AuditAction("device.see")
    package static let removeDevice = AuditAction("device.remove")
}

/// One act to be entered into the audit trail.
package struct AuditRecord: Sendable {
    package let at: Instant
    package let actor: Actor
    package let action: AuditAction
    /// The pseudonym of the person whom the act is about.
    package let subject: UInt64?
    /// That of somebody else whom it concerns.
    package let otherSubject: UInt64?
    /// What exactly, by name; it may be erased with the person.
    package let details: [String: String]
    /// Why, in the actor's words; erased likewise.
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

/// An entry of the trail as operators read it.
package struct AuditEntry: Hashable, Sendable {
    package let id: UInt64
    package let at: Instant
    package let actor: String
    package let action: String
    package let subject: UInt64?
    /// The subject's user id; nil without a subject, and once the person was erased.
    package let user: UserID?
    /// The pseudonym of somebody else whom the act concerned.
    package let otherSubject: UInt64?
    /// As a JSON object; nil once erased.
    package let details: String?
    package let reason: String?
    package let hash: [UInt8]
}
