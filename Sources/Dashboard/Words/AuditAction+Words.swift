import LedgerStore

extension AuditAction {
    /// The words for what an entry of the trail tells, by the name of its act.
    static let words: [String: Phrase] = {
        let phrases: [(AuditAction, Phrase)] = [
            (.createAPIKey, .didCreateKey), (.revokeAPIKey, .didRevokeKey), (.rotateTokenKey, .didRotateKey),
            (.applyCatalogue, .didApplyCatalogue), (.giveGrant, .didGive), (.withdrawGrant, .didWithdrawGrant),
            (.bindPurchase, .didBind), (.withdrawPurchase, .didWithdrawPurchase), (.transfer, .didTransfer),
            (.merge, .didMerge), (.signOutUser, .didSignOutUser), (.erase, .didErase),
            (.nameSandboxTester, .didNameTester),
            (.unnameSandboxTester, .didUnnameTester), (.spendCredits, .didSpend), (.reserveCredits, .didReserve),
            (.commitReservation, .didCommit), (.releaseReservation, .didRelease),
            (.registerDevice, .didRegisterDevice), (.reactivateDevice, .didReactivateDevice),
            (.suspendDevice, .didSuspendDevice), (.seeDevice, .didSeeDevice), (.removeDevice, .didRemoveDevice),
            (.replayDelivery, .didReplay), (.reviveJob, .didRevive), (.lookUpOrder, .didLookUp),
            (.createStaff, .didCreateStaff), (.resetStaff, .didResetStaff), (.disableStaff, .didDisableStaff),
            (.setStaffPassword, .didSetPassword), (.signIn, .didSignIn), (.signOut, .didSignOut),
            (.signOutEverywhere, .didSignOutEverywhere), (.slowStaff, .didSlow),
            (.openDelivery, .didOpenDelivery), (.changeStaffRole, .didChangeRole),
        ]
        return Dictionary(phrases.map { ($0.0.text, $0.1) }, uniquingKeysWith: { first, _ in first })
    }()
}

extension Words {
    /// The name of an actor of the trail: of staff the person's, else the words for what acted.
    func actor(_ actor: String, _ staff: [UInt64: String]) -> String {
        if let id = Actor.staff(in: actor) { return staff[id] ?? text(.staffGone, ["n": String(id)]) }
        if let name = Actor.apiKey(in: actor) { return text(.actorKey, ["name": name]) }
        return actor == Actor.commandLine.text ? text(.actorCommandLine) : actor
    }
}
