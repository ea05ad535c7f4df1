/// Why operators have to look at a genuine purchase that is recorded: it gives nothing, or not what it should, though
/// somebody paid, or its text is not as the store documents it. The raw value is what the API writes.
package enum Anomaly: String, Hashable, Sendable, CaseIterable {
    case unknownProduct = "unknown_product"
    case productTypeMismatch = "product_type_mismatch"
    case quarantined
    case familyShared = "family_shared"
    /// A share of it was refunded, the store does not say how much, and it counts as all (`semantics.md` §2).
    case unclearRefund = "unclear_refund"
    /// Nobody has it.
    case unowned
    /// The purchase gives what it should, but undecisive members of a text about it could not be read.
    case unreadableFields = "unreadable_fields"

    /// Nil for what is in order.
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
    /// The anomaly that keeps the purchase of `key` from giving what it should to the user at `instant`. Nil for a
    /// purchase that is in order, and for one that is not theirs.
    package func anomaly(of key: PurchaseKey, at instant: Instant) -> Anomaly? {
        guard let purchase = purchases.first(where: { $0.key == key }), !purchase.isGone(at: instant)
        else { return nil }
        if let obstacle = obstacle(to: purchase) { return Anomaly(obstacle) }
        return purchase.isRefundUnclear ? .unclearRefund : nil
    }
}

extension CatalogueVersions {
    /// The anomalies that a purchase may have, whenever it was made, if all its states name the product and the type of
    /// `state` and are shared in the family like it.
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
