package import Entitlements

/// Something that does not agree with the chain of hashes of one person's ledger.
package struct LedgerFault: Hashable, Sendable, CustomStringConvertible {
    /// What is wrong; a sequence counts from 1.
    package enum Defect: Hashable, Sendable {
        /// There is no entry at this place, or there are entries of somebody without a row.
        case missing(sequence: Int)
        /// The entry says something else than what was recorded, or stands where another was.
        case edited(sequence: Int)
        /// The signed state that the entry refers to says something else than what was recorded.
        case stateEdited(sequence: Int)
        /// The note says something else than what was recorded, or is gone though the person is not.
        case noteEdited(sequence: Int)
        /// The ledger does not end where its head says.
        case head
    }

    package let user: UserID
    package let defect: Defect

    package init(user: UserID, defect: Defect) {
        self.user = user
        self.defect = defect
    }

    package var description: String {
        switch defect {
        case .missing(let sequence): "\(user): entry \(sequence) is missing"
        case .edited(let sequence): "\(user): entry \(sequence) was edited or moved"
        case .stateEdited(let sequence): "\(user): the signed state of entry \(sequence) was edited"
        case .noteEdited(let sequence): "\(user): the note of entry \(sequence) was edited"
        case .head: "\(user): the ledger does not end at its head"
        }
    }
}
