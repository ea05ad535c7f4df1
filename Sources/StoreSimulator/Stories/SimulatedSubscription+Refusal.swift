extension SimulatedSubscription {
    /// Why an act cannot happen as the chain stands.
    package enum Refusal: Error, Hashable, Sendable {
        /// The chain has ended, or its newest period has run out.
        case over
        /// The chain has not ended.
        case running
        /// The subscription has no charge to try again.
        case notInRetry
        /// Apple still tries to charge for the next period.
        case inRetry
        /// Renewal is on, or off, already.
        case renewalIs(on: Bool)
        /// The customer has not consented to the higher price.
        case awaitsConsent
        /// The subscription is of that product already.
        case sameProduct(String)
        /// The newest period has not begun; `at` is when it will.
        case notBegun(at: Int64)
        /// A period must end after it begins, and grace after the period.
        case noTime
        /// The chain has no such transaction.
        case unknownTransaction(String)
        /// The transaction is revoked already.
        case revoked
        /// The transaction is not refunded.
        case notRefunded
        /// The subscription is no family member's copy.
        case notShared
    }
}

extension SimulatedSubscription.Refusal: CustomStringConvertible {
    package var description: String {
        switch self {
        case .over: "the subscription is over"
        case .running: "the subscription is not over"
        case .notInRetry: "no billing has failed"
        case .inRetry: "billing has failed, and Apple tries again"
        case .renewalIs(let on): "renewal is \(on ? "on" : "off")"
        case .awaitsConsent: "the customer has not consented to the higher price"
        case .sameProduct(let product): "it is of \(product) already"
        case .notBegun: "the newest period has not begun"
        case .noTime: "the end must lie later"
        case .unknownTransaction(let transaction): "the subscription has no transaction \(transaction)"
        case .revoked: "the transaction is revoked already"
        case .notRefunded: "the transaction is not refunded"
        case .notShared: "it is not shared within a family"
        }
    }
}
