/// The balance of one lot for one user who holds it.
package struct LotBalance: Hashable, Sendable {
    package let key: PurchaseKey
    package let purse: Purse
    package let creditedAt: Instant
    /// The expiry, exclusive; nil for a paid lot, which never expires.
    package let expiresAt: Instant?
    package let credited: Int
    package let refunded: Int
    package let writtenOff: Int
    package let expired: Int
    package let spent: Int
    package let reserved: Int
    /// The units in repayment: they stand in for units that a refund could not take from other lots.
    package let repaid: Int
    /// The units that a spend may draw.
    package let spendable: Int

    init(_ lot: LotState, in purse: Purse) {
        key = lot.holding.key
        self.purse = purse
        creditedAt = lot.holding.lot.creditedAt
        expiresAt = lot.holding.lot.expiresAt
        credited = lot.amount
        refunded = lot.refunded
        writtenOff = lot.writtenOff
        expired = lot.expired
        spent = lot.spent
        reserved = lot.reserved
        repaid = lot.repaid
        spendable = lot.available
    }
}
