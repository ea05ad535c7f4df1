/// The price that was paid, as the store states it.
package struct Price: Hashable, Sendable {
    /// Thousandths of the currency's unit, for all of the quantity.
    package let milliunits: Int64
    /// ISO 4217.
    package let currency: String

    package init(milliunits: Int64, currency: String) {
        self.milliunits = milliunits
        self.currency = currency
    }
}
