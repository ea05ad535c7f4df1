/// The cause of the transaction: the customer's purchase, or a renewal.
///
/// A value that has no name here is kept as Apple wrote it.
package struct TransactionReason: RawRepresentable, Hashable, Sendable {
    /// The customer bought, or upgraded.
    package static let purchase = Self(rawValue: "PURCHASE")
    /// The subscription renewed; a downgrade takes effect then too.
    package static let renewal = Self(rawValue: "RENEWAL")

    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }
}
