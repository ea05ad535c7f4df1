/// A delivery as it was placed, and everything that became known by it; written beside the ledgers.
package struct Placement: Hashable, Sendable {
    /// Somebody whom a customer of a store is from now on.
    package struct Customer: Hashable, Sendable {
        package let label: Label
        package let user: UserID
    }

    package let delivery: UInt64
    package let standing: DeliveryStanding
    /// The purchase that it proved to be about, of which something is stated.
    package let purchase: ExternalID?
    /// The customers and numbers that it waits for.
    package let awaited: [String]
    package let numbers: [PurchaseNumber]
    package let customer: Customer?
    /// Statements about purchases that its numbers lead to.
    package let statements: [Statement]

    package init(
        of delivery: UInt64, _ standing: DeliveryStanding, about purchase: ExternalID? = nil,
        awaiting awaited: [String] = [], telling numbers: [PurchaseNumber] = [], customer: Customer? = nil,
        stating statements: [Statement] = []
    ) {
        self.delivery = delivery
        self.standing = standing
        self.purchase = purchase
        self.awaited = awaited
        self.numbers = numbers
        self.customer = customer
        self.statements = statements
    }
}
