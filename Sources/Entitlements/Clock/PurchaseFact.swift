/// A fact about a purchase that an explanation names.
package struct PurchaseFact: Hashable, Sendable {
    /// The raw value is what the API writes.
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
    /// The transaction of a state.
    package let transactionID: TransactionID?
    /// When a state was signed.
    package let signedAt: Instant?
    /// The revocation that a state shows.
    package let revocation: Revocation?
    /// When this server learned the fact; `known_at` at this instant counts this fact and earlier ones.
    package let recordedAt: Instant

    /// Nil for a fact that is about no purchase.
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
