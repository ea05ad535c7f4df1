/// The placement of a delivery: its outcome, and what it told. It is written beside the ledgers, in the same
/// transaction.
package struct Placement: Hashable, Sendable {
    /// The user whom a customer of a store stands for from now on.
    package struct Customer: Hashable, Sendable {
        package let label: Label
        package let user: UserID
    }

    package let delivery: UInt64
    package let outcome: DeliveryOutcome
    /// The id of the purchase that the delivery is about; nil while that is not known.
    package let purchase: ExternalID?
    /// The customers and numbers for which the delivery waits.
    package let awaited: [String]
    package let numbers: [PurchaseNumber]
    package let customer: Customer?
    /// The statements of a takeback about the purchases that it takes from.
    package let statements: [Statement]
    /// The question that the delivery asks, which a job answers.
    package let question: ConsumptionQuestion?

    package init(
        of delivery: UInt64, _ outcome: DeliveryOutcome, about purchase: ExternalID? = nil,
        awaiting awaited: [String] = [], telling numbers: [PurchaseNumber] = [], customer: Customer? = nil,
        stating statements: [Statement] = [], asking question: ConsumptionQuestion? = nil
    ) {
        self.delivery = delivery
        self.outcome = outcome
        self.purchase = purchase
        self.awaited = awaited
        self.numbers = numbers
        self.customer = customer
        self.statements = statements
        self.question = question
    }
}
