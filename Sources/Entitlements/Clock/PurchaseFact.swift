/// A fact about a purchase, as an explanation names it.
package struct PurchaseFact: Hashable, Sendable {
    /// The kind of the fact; the raw value is what the API writes.
    package enum Kind: String, Hashable, Sendable {
        case bound
        /// A store's state of the purchase, or of one period.
        case state
        /// A store's state of a chain's renewal.
        case renewal
        case granted
        case withdrawn
        case gaveAway = "gave_away"
        case received
    }

    package let kind: Kind
    /// The transaction, if the fact is a state of a purchase.
    package let transactionID: TransactionID?
    /// The signing date, if the fact is a state.
    package let signedAt: Instant?
    /// The refund that a state of a purchase shows.
    package let revocation: Revocation?
    /// When this server learned the fact. A query with this instant as `known_at` counts the fact and all earlier ones.
    package let recordedAt: Instant

    /// Returns nil for an entry whose fact is about no purchase.
    package init?(_ entry: LedgerEntry) {
        switch entry.fact {
        case .stated(.purchase): kind = .state
        case .stated(.renewal): kind = .renewal
        case .bound: kind = .bound
        case .granted: kind = .granted
        case .withdrawn: kind = .withdrawn
        case .gaveAway: kind = .gaveAway
        case .received: kind = .received
        case .credit, .device, .sandboxTester, .consumptionConsent: return nil
        }
        transactionID = entry.fact.state?.transactionID
        signedAt = entry.fact.state?.signedAt ?? entry.fact.renewal?.signedAt
        revocation = entry.fact.state?.revocation
        recordedAt = entry.recordedAt
    }
}
