/// The name of an audited act in the trail: `noun.verb`, lower case.
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
    package static let withdrawGrant = AuditAction("grant.revoke")
    package static let bindPurchase = AuditAction("purchase.bind")
    package static let withdrawPurchase = AuditAction("purchase.revoke")
    package static let transfer = AuditAction("user.transfer")
    package static let merge = AuditAction("user.merge")
    package static let signOutUser = AuditAction("user.sign_out")
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
    package static let replayDelivery = AuditAction("delivery.replay")
    package static let openDelivery = AuditAction("delivery.open")
    package static let reviveJob = AuditAction("job.revive")
    package static let lookUpOrder = AuditAction("order.look_up")
    package static let createStaff = AuditAction("staff.create")
    package static let resetStaff = AuditAction("staff.reset")
    package static let disableStaff = AuditAction("staff.disable")
    package static let changeStaffRole = AuditAction("staff.change_role")
    package static let setStaffPassword = AuditAction("staff.set_password")
    package static let signIn = AuditAction("staff.sign_in")
    package static let signOut = AuditAction("staff.sign_out")
    package static let signOutEverywhere = AuditAction("staff.sign_out_everywhere")
    package static let slowStaff = AuditAction("staff.slow")
}
