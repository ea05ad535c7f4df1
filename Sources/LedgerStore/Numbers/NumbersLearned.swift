package import Entitlements
package import MariaDB

/// What became known of numbers, written with what told it. Deliveries that wait for one of them are tried again.
package struct NumbersLearned: StoredSideRow {
    package let space: NumberSpace
    package let numbers: [PurchaseNumber]
    /// A purchase of which something was stated: its id is a number too.
    package let purchase: ExternalID?

    package init(_ numbers: [PurchaseNumber], of purchase: ExternalID?, in space: NumberSpace) {
        self.space = space
        self.numbers = numbers
        self.purchase = purchase
    }

    /// Keeps the numbers, and then looks for what waits for those that are new: whoever parks a delivery meanwhile
    /// looks for the numbers afterwards, and a delivery that waits tells its own again each time. Throws when the
    /// database is away.
    package func write(beside rows: WrittenRows, in session: Session) throws(DatabaseError) {
        let new = try PurchaseNumberRow.insert(numbers, in: space, at: rows.recordedAt, session: session)
        let known = Set(new).union([purchase?.text].compactMap { $0 })
        try DeliveryMentionRow.wake(awaiting: known.sorted(), in: space, at: rows.recordedAt, session: session)
    }
}

/// Whom a store's customer is, told by the store and remembered; who is remembered already stays.
package struct CustomerRemembered: StoredSideRow {
    package let customer: Label
    package let user: UserID
    package let space: NumberSpace

    package init(_ customer: Label, is user: UserID, in space: NumberSpace) {
        self.customer = customer
        self.user = user
        self.space = space
    }

    /// Throws when the database is away, `.misuse` for a user whom the decision did not know.
    package func write(beside rows: WrittenRows, in session: Session) throws(DatabaseError) {
        guard let pseudonym = rows.pseudonym(of: user) else { throw DatabaseError(.misuse, statement: "customer") }
        try AccountTokenRow.remember(customer, as: pseudonym, at: rows.recordedAt, in: session)
        try DeliveryMentionRow.wake(awaiting: [customer.text], in: space, at: rows.recordedAt, session: session)
    }
}
