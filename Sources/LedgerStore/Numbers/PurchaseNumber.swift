package import Entitlements

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

    func key(_ number: String) -> PurchaseKey {
        PurchaseKey(source: source, app: app, environment: environment, externalID: ExternalID(number))
    }
}

/// A number by which a source speaks of a purchase, and what it means. The id of a purchase is a number too.
package struct PurchaseNumber: Hashable, Sendable {
    package let number: String
    /// Another number, or the purchase of the transaction.
    let target: String
    let transaction: TransactionID?

    /// One that means what another means.
    package init(_ number: String, meaning other: String) {
        self.number = number
        target = other
        transaction = nil
    }

    /// One that means a transaction of a purchase.
    package init(_ number: String, meaning transaction: TransactionID, of purchase: ExternalID) {
        self.number = number
        target = purchase.text
        self.transaction = transaction
    }
}

/// A purchase that a number leads to.
package struct NumberedPurchase: Sendable {
    package let key: PurchaseKey
    /// The transactions that the number means; nil for the purchase itself.
    package let transactions: Set<TransactionID>?
    package let owner: UserID?
    /// What was stated of it, while nobody has it; then it stands in the owner's ledger.
    package let waiting: [VerifiedPurchase]
}

/// What some numbers lead to.
package struct NumberSearch: Sendable {
    package let purchases: [NumberedPurchase]
    /// Those at which the way ends: nothing says yet what they mean.
    package let unknown: [String]

    package init(purchases: [NumberedPurchase], unknown: [String]) {
        self.purchases = purchases
        self.unknown = unknown
    }
}
