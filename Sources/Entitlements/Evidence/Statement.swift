/// A source's statement about a purchase, with everything that the rules read.
package enum Statement: Hashable, Sendable {
    /// The state of a purchase, or of one period of a chain.
    case purchase(VerifiedPurchase)
    /// The state of a chain's renewal.
    case renewal(VerifiedRenewal)

    package var key: PurchaseKey {
        switch self {
        case .purchase(let state): state.key
        case .renewal(let state): state.key
        }
    }

    /// The state of a purchase; nil if the statement is about a renewal.
    package var state: VerifiedPurchase? {
        guard case .purchase(let state) = self else { return nil }
        return state
    }

    package var signedAt: Instant {
        switch self {
        case .purchase(let state): state.signedAt
        case .renewal(let state): state.signedAt
        }
    }

    /// True if the two statements differ in nothing but their signing dates.
    package func hasSameContent(as other: Statement) -> Bool {
        switch (self, other) {
        case (.purchase(let state), .purchase(let other)): state.hasSameContent(as: other)
        case (.renewal(let state), .renewal(let other)): state.hasSameContent(as: other)
        case (.purchase, .renewal), (.renewal, .purchase): false
        }
    }

    /// True if both are states of one transaction, or of the renewal of one chain.
    func followsSameSubject(as other: Statement) -> Bool {
        switch (self, other) {
        case (.purchase(let state), .purchase(let other)):
            state.transactionID == other.transactionID && state.key == other.key
        case (.renewal(let state), .renewal(let other)): state.key == other.key
        case (.purchase, .renewal), (.renewal, .purchase): false
        }
    }
}
