import AppStore
import Entitlements
import LedgerStore

extension Evidence {
    /// What a verified transaction proves.
    init(_ transaction: VerifiedTransaction) {
        self.init(
            purchase: VerifiedPurchase(transaction), text: transaction.text,
            unreadable: transaction.payload.unreadable)
    }
}
