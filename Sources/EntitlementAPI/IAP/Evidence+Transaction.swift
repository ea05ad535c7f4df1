import AppStore
import Entitlements
import LedgerStore

extension Evidence.Proof {
    /// The evidence of a verified transaction.
    init(_ transaction: VerifiedTransaction) {
        self.init(
            text: transaction.text, details: StoreDetails(transaction), unreadable: transaction.payload.unreadable)
    }
}
