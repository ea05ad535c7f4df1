/// The cause of the transaction: the customer's purchase, or a renewal.
///
/// Open: a value that is not named here is kept as it is.
package struct TransactionReason: RawRepresentable, Hashable, Sendable {
    /// The customer, also by an upgrade.
    package static let purchase = Self(rawValue: "PURCHASE")
    /// The renewal of a subscription, also a downgrade taking effect.
    package static let renewal = Self(rawValue: "RENEWAL")

    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }
}
