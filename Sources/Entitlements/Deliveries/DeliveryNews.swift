/// The content of a delivery in the words of this project, from whichever source. The statements of the delivery are
/// not in it; they are recorded as evidence.
package struct DeliveryNews: Hashable, Sendable {
    package let space: NumberSpace
    /// The purchase that the delivery names; nil if only `numbers` lead to purchases.
    package var about: PurchaseKey?
    /// The users whom the delivery names by their ids, the most trusted name first.
    package var users: [UserID] = []
    /// True if the delivery names users, but none of the names is a valid user id.
    package var namesNoUserID = false
    /// The label of the store's customer.
    package var customer: Label?
    /// The label of the account token that the purchase carries.
    package var token: Label?
    /// The links between numbers that the delivery tells: for example, a payment's number leads to its invoice.
    package var numbers: [PurchaseNumber] = []
    /// The refund or dispute that the delivery reports, to be matched to a purchase by its numbers.
    package var takeback: Takeback?
    /// The question about the purchase that the delivery asks.
    package var question: ConsumptionQuestion?
    /// A remark for operators; by itself it changes nobody's access.
    package var remark: DeliveryReason?
    /// True if nothing is done about deliveries of this type.
    package var isIgnored = false

    package init(in space: NumberSpace) { self.space = space }

    /// Makes the content of a delivery whose text was deleted: only its takeback was kept.
    package init(_ takeback: Takeback, in space: NumberSpace) {
        self.space = space
        self.takeback = takeback
        // The takeback of an open dispute has its event's id as its own id.
        if takeback.id.text == takeback.eventID { remark = .disputed }
    }

    /// All numbers in the delivery, with the id of its purchase.
    package var allNumbers: Set<String> {
        Set(numbers.flatMap { [$0.number, $0.target] })
            .union(takeback?.numbers ?? []).union([about?.externalID.text].compactMap(\.self))
    }

    /// The labels in the delivery that may stand for a person.
    package var labels: Set<Label> { Set([customer, token].compactMap(\.self)) }
}
