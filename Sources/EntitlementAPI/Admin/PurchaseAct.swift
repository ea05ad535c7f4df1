import Entitlements
import LedgerStore

/// An operator's act on one purchase: which, and why.
struct PurchaseAct {
    let name: PurchaseName
    let reason: String

    /// - Throws: `invalid_request`.
    init(_ body: JSONBody) throws(Problem) {
        try body.requireObject()
        name = try body.requiredPurchase()
        reason = try body.requiredReason()
    }

    /// The note beside the facts of the act.
    func note(by principal: Principal, reference: String? = nil) -> Note {
        Note(actor: principal.actor?.text, reason: reason, reference: reference)
    }
}
