/// A delivery in our words, whatever its source. Its statements are evidence beside it.
package struct DeliveryNews: Hashable, Sendable {
    package let space: NumberSpace
    /// The purchase that it names; nil where only numbers lead there.
    package var about: PurchaseKey?
    /// The users whom it names by their ids, in the order of trust.
    package var users: [UserID] = []
    /// True if it names somebody, by what is no user id.
    package var namesNoUserID = false
    /// The store's customer.
    package var customer: Label?
    /// The account token of the purchase.
    package var token: Label?
    /// The numbers that it explains.
    package var numbers: [PurchaseNumber] = []
    /// Money that went back of a purchase that is known by then.
    package var takeback: Takeback?
    /// For operators, though nobody's access changes by it.
    package var remark: DeliveryReason?
    /// True if nothing is done about its type.
    package var isIgnored = false

    package init(in space: NumberSpace) { self.space = space }

    /// The news that are left of a delivery whose text is gone.
    package init(_ takeback: Takeback, in space: NumberSpace) {
        self.space = space
        self.takeback = takeback
        // An open dispute stands under its event.
        if takeback.id.text == takeback.eventID { remark = .disputed }
    }

    /// All numbers in it, the id of its purchase among them.
    package var allNumbers: Set<String> {
        Set(numbers.flatMap { [$0.number, $0.target] })
            .union(takeback?.numbers ?? []).union([about?.externalID.text].compactMap(\.self))
    }

    /// The labels by which it may name a person.
    package var labels: Set<Label> { Set([customer, token].compactMap(\.self)) }
}
