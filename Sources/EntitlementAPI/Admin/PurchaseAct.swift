import Entitlements
import LedgerStore

/// What an operator's act on one purchase says: which, and why.
struct PurchaseAct {
    let name: PurchaseName
    let reason: String

    /// - Throws: `invalid_request`.
    init(_ body: JSONBody) throws(Problem) {
        try body.requireObject()
        name = try body.requiredPurchase()
        reason = try body.requiredReason()
    }

    /// What stands beside the facts of it.
    func note(by principal: Principal, reference: String? = nil) -> Note {
        Note(actor: principal.actor?.text, reason: reason, reference: reference)
    }
}
