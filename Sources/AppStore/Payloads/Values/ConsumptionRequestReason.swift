/// Why a customer asks for a refund.
///
/// Open: a value that is not named here is kept as it is.
package struct ConsumptionRequestReason: RawRepresentable, Hashable, Sendable {
    /// Bought by mistake.
    package static let unintendedPurchase = Self(rawValue: "UNINTENDED_PURCHASE")
    /// Not delivered.
    package static let fulfillmentIssue = Self(rawValue: "FULFILLMENT_ISSUE")
    /// Not content.
    package static let unsatisfied = Self(rawValue: "UNSATISFIED_WITH_PURCHASE")
    /// A legal reason.
    package static let legal = Self(rawValue: "LEGAL")
    /// Something else.
    package static let other = Self(rawValue: "OTHER")

    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }
}
