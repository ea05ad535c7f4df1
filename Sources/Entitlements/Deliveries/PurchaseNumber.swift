/// The account of a source, in one environment, within which a number is unique.
package struct NumberSpace: Hashable, Sendable {
    package let source: Source
    package let app: AppID
    package let environment: StoreEnvironment

    package init(source: Source, app: AppID, environment: StoreEnvironment) {
        self.source = source
        self.app = app
        self.environment = environment
    }

    /// Returns the key of a purchase with this number as its id. The purchase need not exist.
    package func key(_ number: String) -> PurchaseKey {
        PurchaseKey(source: source, app: app, environment: environment, externalID: ExternalID(number))
    }
}

extension PurchaseKey {
    /// The account in which the purchase's id is one.
    package var space: NumberSpace { NumberSpace(source: source, app: app, environment: environment) }
}

/// A number that a source gives to a purchase, a payment or an invoice, and what the number leads to. The id of a
/// purchase is a number too.
package struct PurchaseNumber: Hashable, Sendable {
    package let number: String
    /// The number to which this number leads, or the id of the purchase to which `transaction` belongs.
    package let target: String
    package let transaction: TransactionID?

    /// Makes a number that leads to another number.
    package init(_ number: String, meaning other: String) {
        self.number = number
        target = other
        transaction = nil
    }

    /// Makes a number that leads to a transaction of a purchase.
    package init(_ number: String, meaning transaction: TransactionID, of purchase: ExternalID) {
        self.number = number
        target = purchase.text
        self.transaction = transaction
    }
}
