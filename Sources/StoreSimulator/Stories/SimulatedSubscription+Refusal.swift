extension SimulatedSubscription {
    /// The reason why an act is not possible in the present state of the chain.
    package enum Refusal: Error, Hashable, Sendable {
        /// The chain has ended, or its newest period has run out.
        case over
        /// The chain has not ended.
        case running
        /// Apple is not retrying a charge, or there is no grace that could end.
        case notInRetry
        /// Apple still tries to charge for the next period.
        case inRetry
        /// Renewal is switched on, or off, as `on` says; the act needs the opposite.
        case renewalIs(on: Bool)
        /// The customer has not consented to the higher price.
        case awaitsConsent
        /// The customer has, or has chosen, that product already.
        case sameProduct(String)
        /// The period has not begun; `at` is its start in milliseconds since the epoch.
        case notBegun(at: Int64)
        /// The end of a period is not after its start, or the end of grace is not in the future.
        case noTime
        /// The chain has no such transaction.
        case unknownTransaction(String)
        /// The transaction is revoked already.
        case revoked
        /// The transaction is not refunded.
        case notRefunded
        /// The chain is not the copy of a family member.
        case notShared
    }
}

extension SimulatedSubscription.Refusal: CustomStringConvertible {
    package var description: String {
        switch self {
        case .over: "the subscription is over"
        case .running: "the subscription is not over"
        case .notInRetry: "no charge is being retried, and no grace runs"
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
