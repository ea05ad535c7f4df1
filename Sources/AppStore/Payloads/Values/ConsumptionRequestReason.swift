/// The customer's reason to ask for a refund.
///
/// A value that has no name here is kept as Apple wrote it.
package struct ConsumptionRequestReason: RawRepresentable, Hashable, Sendable {
    /// The customer bought by mistake.
    package static let unintendedPurchase = Self(rawValue: "UNINTENDED_PURCHASE")
    /// The purchase was not delivered.
    package static let fulfillmentIssue = Self(rawValue: "FULFILLMENT_ISSUE")
    /// The customer was not content.
    package static let unsatisfied = Self(rawValue: "UNSATISFIED_WITH_PURCHASE")
    /// The customer has a legal reason.
    package static let legal = Self(rawValue: "LEGAL")
    /// The customer has another reason.
    package static let other = Self(rawValue: "OTHER")

    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }
}
