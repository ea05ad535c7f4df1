package import Entitlements

/// A fault of one person's ledger: the tables do not agree with what was recorded.
package struct LedgerFault: Hashable, Sendable, CustomStringConvertible {
    /// The defect of a ledger. `sequence` is the number of an entry, from 1; `row` and `purchase` are ids of rows.
    package enum Defect: Hashable, Sendable, CustomStringConvertible {
        /// There is no entry with this number.
        case missing(sequence: Int)
        /// The entry does not match its hash: it was edited or moved.
        case edited(sequence: Int)
        /// The row of the entry's purchase has another identity than the entry states, or is gone.
        case purchaseEdited(sequence: Int, row: UInt64)
        /// The row of the entry's signed state has another statement than the entry, or is gone.
        case stateEdited(sequence: Int, row: UInt64)
        /// The note does not match its digest, or is gone although nobody was erased.
        case noteEdited(sequence: Int)
        /// The head in the person's row of `users` does not name the last entry of the ledger.
        case head
        /// The ledger has entries, but nobody has its pseudonym.
        case nobodys
        /// The row of the purchase names the person as its owner, but the ledger does not.
        case notOwned(purchase: UInt64)
        /// The ledger says that the person owns the purchase, but the row does not.
        case disowned(purchase: UInt64)
        /// The ledger and `purchase_holders` disagree on whether the person had the purchase earlier.
        case notHeld(purchase: UInt64)
        /// The stored standing does not follow from the ledger.
        case standing
        /// The person's rows of `subscriptions` do not follow from the ledger.
        case subscriptions

        package var description: String {
            switch self {
            case .missing(let sequence): "entry \(sequence) is missing"
            case .edited(let sequence): "entry \(sequence) was edited or moved"
            case .purchaseEdited(let sequence, let row):
                "the purchase of entry \(sequence), row \(row) of purchases, was edited or deleted"
            case .stateEdited(let sequence, let row):
                "the signed state of entry \(sequence), row \(row) of apple_iap_transactions, was edited or deleted"
            case .noteEdited(let sequence): "the note of entry \(sequence) was edited"
            case .head: "the ledger does not end at its head"
            case .nobodys: "there are entries, and nobody of this pseudonym in users"
            case .notOwned(let row): "row \(row) of purchases names them its owner, their ledger does not"
            case .disowned(let row):
                "their ledger has the purchase in row \(row) of purchases, the row does not name them"
            case .notHeld(let row): "ledger and purchase_holders disagree whether they had the purchase in row \(row)"
            case .standing: "their rows of standings and standing_answers do not follow from the ledger"
            case .subscriptions: "their rows of subscriptions do not follow from the ledger"
            }
        }
    }

    package let user: UserID
    package let pseudonym: UInt64
    package let defect: Defect

    package init(user: UserID, pseudonym: UInt64, defect: Defect) {
        self.user = user
        self.pseudonym = pseudonym
        self.defect = defect
    }

    /// The fault with the user's id; not for logs.
    package var description: String {
        user.isErased ? unnamed : "\(user) (\(unnamed.prefix { $0 != ":" })): \(defect)"
    }

    /// The fault with the pseudonym only. Operators can look the user up by it as long as the person is not erased.
    package var unnamed: String { "#\(pseudonym): \(defect)" }
}
