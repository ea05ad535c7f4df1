import LedgerStore

extension AuditAction {
    /// The words for what an entry of the trail tells, by the name of its act.
    static let words: [String: Phrase] = {
        let phrases: [(AuditAction, Phrase)] = [
            (.createAPIKey, .didCreateKey), (.revokeAPIKey, .didRevokeKey), (.rotateTokenKey, .didRotateKey),
            (.applyCatalogue, .didApplyCatalogue), (.giveGrant, .didGive), (.withdrawGrant, .didWithdrawGrant),
            (.bindPurchase, .didBind), (.withdrawPurchase, .didWithdrawPurchase), (.transfer, .didTransfer),
            (.merge, .didMerge), (.erase, .didErase), (.nameSandboxTester, .didNameTester),
            (.unnameSandboxTester, .didUnnameTester), (.spendCredits, .didSpend), (.reserveCredits, .didReserve),
            (.commitReservation, .didCommit), (.releaseReservation, .didRelease),
            (.registerDevice, .didRegisterDevice), (.reactivateDevice, .didReactivateDevice),
            (.suspendDevice, .didSuspendDevice), (.seeDevice, .didSeeDevice), (.removeDevice, .didRemoveDevice),
            (.replayDelivery, .didReplay), (.reviveJob, .didRevive), (.lookUpOrder, .didLookUp),
            (.createStaff, .didCreateStaff), (.resetStaff, .didResetStaff), (.disableStaff, .didDisableStaff),
            (.setStaffPassword, .didSetPassword), (.signIn, .didSignIn), (.signOut, .didSignOut),
            (.signOutEverywhere, .didSignOutEverywhere), (.slowStaff, .didSlow),
        ]
        return Dictionary(phrases.map { ($0.0.text, $0.1) }, uniquingKeysWith: { first, _ in first })
    }()
}
