/// The price that was paid, as the store states it.
package struct Price: Hashable, Sendable {
    /// The price of the whole quantity, in thousandths of the currency's unit.
    package let milliunits: Int64
    /// The ISO 4217 code of the currency.
    package let currency: String

    package init(milliunits: Int64, currency: String) {
        self.milliunits = milliunits
        self.currency = currency
    }
}
