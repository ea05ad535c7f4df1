/// Where numbers count: an account of a source, in one environment.
package struct NumberSpace: Hashable, Sendable {
    package let source: Source
    package let app: AppID
    package let environment: StoreEnvironment

    package init(source: Source, app: AppID, environment: StoreEnvironment) {
        self.source = source
        self.app = app
        self.environment = environment
    }

    /// The purchase whose id `number` is, if it is one.
    package func key(_ number: String) -> PurchaseKey {
        PurchaseKey(source: source, app: app, environment: environment, externalID: ExternalID(number))
    }
}

/// A number by which a source speaks of a purchase, and what it means. The id of a purchase is a number too.
package struct PurchaseNumber: Hashable, Sendable {
    package let number: String
    /// Another number, or the purchase of the transaction.
    package let target: String
    package let transaction: TransactionID?

    /// A number with the meaning of another number.
    package init(_ number: String, meaning other: String) {
        self.number = number
        target = other
        transaction = nil
    }

    /// A number that means a transaction of a purchase.
    package init(_ number: String, meaning transaction: TransactionID, of purchase: ExternalID) {
        self.number = number
        target = purchase.text
        self.transaction = transaction
    }
}
