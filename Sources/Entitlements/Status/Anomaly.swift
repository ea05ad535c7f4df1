/// The reason why operators have to look at a genuine purchase. The purchase gives nothing or not what it should, or
/// its text is not as the store documents it. The raw value is what the API writes.
package enum Anomaly: String, Hashable, Sendable, CaseIterable {
    case unknownProduct = "unknown_product"
    case productTypeMismatch = "product_type_mismatch"
    case quarantined
    case familyShared = "family_shared"
    /// A refund was stated without a valid share, so it counts as a full refund (`semantics.md` §2).
    case unclearRefund = "unclear_refund"
    /// The states of a pass or a lot name several quantities, of which the largest counts.
    case quantityDiffers = "quantity_differs"
    /// An operator withdrew a chain, and the store was paid for a later renewal.
    case paidAfterWithdrawal = "paid_after_withdrawal"
    /// Nobody has the purchase.
    case unowned
    /// Members of a signed text that decide nothing could not be read. The purchase gives what it should.
    case unreadableFields = "unreadable_fields"

    /// Returns nil for an obstacle that is no anomaly.
    init?(_ obstacle: Purchase.Obstacle) {
        switch obstacle {
        case .unknownProduct: self = .unknownProduct
        case .productTypeMismatch: self = .productTypeMismatch
        case .quarantined: self = .quarantined
        case .familyShared: self = .familyShared
        case .sandboxNotAllowed: return nil
        }
    }
}

extension Timeline {
    /// Returns the anomaly of the user's purchase at `instant`. Nil if there is none, or if the user does not have the
    /// purchase.
    package func anomaly(of key: PurchaseKey, at instant: Instant) -> Anomaly? {
        guard let purchase = purchases.first(where: { $0.key == key }), !purchase.isGone(at: instant)
        else { return nil }
        if let obstacle = obstacle(to: purchase) { return Anomaly(obstacle) }
        return purchase.anomaly
    }
}

extension CatalogueVersions {
    /// Returns the anomalies that a purchase with the product, type and family sharing of `state` can have. The
    /// purchase date is left open, so any version of the catalogue that knows the product may set the terms.
    package func possibleAnomalies(of state: VerifiedPurchase) -> Set<Anomaly> {
        let products = products(named: state.productNames, from: state.key.source, for: state.key.app)
        guard !products.isEmpty else { return [.unknownProduct] }
        return Set(
            products.lazy.map(\.terms).compactMap { terms in
                if let obstacle = PurchaseMeaning.obstacle(in: [state], given: terms) { return Anomaly(obstacle) }
                return terms.tier.map { tier($0) == nil } ?? false ? .unknownProduct : nil
            })
    }
}
