package import Entitlements
package import MariaDB

/// A row that a decision has written in its own transaction, beside the ledgers: what became of a delivery, what is to
/// be sent, when to look again. So nothing is sent that a rollback undid.
package protocol StoredSideRow: SideRow {
    /// Writes the row. The batch may be carried out again though it was committed, so a repeat must change nothing.
    ///
    /// Throws when the database refuses the statement or is away.
    func write(beside rows: WrittenRows, in session: Session) throws(DatabaseError)
}

/// The rows of the people and purchases that a batch is about, for side rows that refer to them.
package struct WrittenRows: Sendable {
    /// When the batch was recorded.
    package let recordedAt: Instant
    private let pseudonyms: [UserID: UInt64]
    private let purchases: [PurchaseKey: UInt64]

    init(of workspace: Workspace) {
        recordedAt = workspace.now
        pseudonyms = workspace.people.mapValues(\.head.pseudonym)
        purchases = workspace.holdings.compactMapValues(\.id)
    }

    /// The pseudonym of a user whom the decision knew; nil for any other user.
    package func pseudonym(of user: UserID) -> UInt64? { pseudonyms[user] }

    /// The row of a purchase; nil for one without a row.
    package func row(of key: PurchaseKey) -> UInt64? { purchases[key] }
}
