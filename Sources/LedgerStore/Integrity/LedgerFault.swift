package import Entitlements

/// A difference between the tables and what was recorded of one person.
package struct LedgerFault: Hashable, Sendable, CustomStringConvertible {
    /// The defect of a ledger; a sequence counts from 1.
    package enum Defect: Hashable, Sendable, CustomStringConvertible {
        /// There is no entry at this place.
        case missing(sequence: Int)
        /// The entry says something else than what was recorded, or stands where another was.
        case edited(sequence: Int)
        /// The row of the purchase that the entry is about has another identity than was recorded, or is gone.
        case purchaseEdited(sequence: Int, row: UInt64)
        /// The signed state that the entry repeats says something else than what was recorded.
        case stateEdited(sequence: Int, row: UInt64)
        /// The note says something else than what was recorded, or is gone though the person is not.
        case noteEdited(sequence: Int)
        /// The ledger does not end where its head says.
        case head
        /// There are entries, and no row of the person.
        case nobodys
        /// The row of the purchase names the person its owner, the ledger does not.
        case notOwned(purchase: UInt64)
        /// The ledger says that the person owns the purchase, its row does not.
        case disowned(purchase: UInt64)
        /// The ledger and the rows do not agree whether the person had the purchase before.
        case notHeld(purchase: UInt64)

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

    /// With the user's id; for who reads it and not for a log.
    package var description: String {
        user.isErased ? unnamed : "\(user) (\(unnamed.prefix { $0 != ":" })): \(defect)"
    }

    /// The fault without the user's id: a pseudonym tells operators who it is as long as they are there.
    package var unnamed: String { "#\(pseudonym): \(defect)" }
}
