/// The coverage of a pass or plan, from its first to its last instant: a row of the table `subscriptions`.
///
/// A row depends on the ledger and the catalogue, never on settings or on the instant of a query.
package struct Subscription: Hashable, Sendable {
    package let key: PurchaseKey
    /// The product; nil for a grant that is not of a product.
    package let productID: ProductID?
    package let tier: TierID
    package let startsAt: Instant
    package let expiresAt: Instant
    /// The reason why operators have to look at the purchase, although it covers.
    package let anomaly: Anomaly?
}

extension Timeline {
    /// The rows of all passes and plans that ever cover, without grace and leeway, by anchor and then by id.
    ///
    /// A sandbox purchase has a row even if it does not count for this user.
    package var subscriptions: [Subscription] {
        var rows = [Subscription?](repeating: nil, count: purchases.count)
        for piece in planned {
            let (segment, row) = (piece.segment, rows[piece.purchase])
            let isLast = row.map { segment.endsAt >= $0.expiresAt } ?? true
            rows[piece.purchase] = Subscription(
                key: segment.key, productID: purchases[piece.purchase].productID,
                tier: isLast ? segment.tier : row?.tier ?? segment.tier, startsAt: row?.startsAt ?? segment.startsAt,
                expiresAt: isLast ? segment.endsAt : row?.expiresAt ?? segment.endsAt,
                anomaly: purchases[piece.purchase].anomaly)
        }
        return rows.compactMap { $0 }
    }
}
