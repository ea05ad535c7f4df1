/// The coverage of one pass or plan, from its first to its last instant: a row of the `subscriptions` table.
///
/// A projection: it depends on the ledger and the catalogue, never on settings or on the instant of asking.
package struct Subscription: Hashable, Sendable {
    package let key: PurchaseKey
    /// Nil for a grant that is of no product.
    package let productID: ProductID?
    package let tier: TierID
    package let startsAt: Instant
    package let expiresAt: Instant

    package init(key: PurchaseKey, productID: ProductID?, tier: TierID, startsAt: Instant, expiresAt: Instant) {
        self.key = key
        self.productID = productID
        self.tier = tier
        self.startsAt = startsAt
        self.expiresAt = expiresAt
    }
}

extension Timeline {
    /// The passes and plans that cover anything, past or planned, without grace; by anchor, then by id.
    ///
    /// A sandbox purchase has its row whether or not it counts for this user.
    package var subscriptions: [Subscription] {
        var rows = [Subscription?](repeating: nil, count: purchases.count)
        for piece in planned {
            let (segment, row) = (piece.segment, rows[piece.purchase])
            let isLast = row.map { segment.endsAt >= $0.expiresAt } ?? true
            rows[piece.purchase] = Subscription(
                key: segment.key, productID: purchases[piece.purchase].productID,
                tier: isLast ? segment.tier : row?.tier ?? segment.tier, startsAt: row?.startsAt ?? segment.startsAt,
                expiresAt: isLast ? segment.endsAt : row?.expiresAt ?? segment.endsAt)
        }
        return rows.compactMap { $0 }
    }
}
