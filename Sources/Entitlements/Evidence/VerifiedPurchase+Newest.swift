/// The facts that lists tell of a purchase by all its states, whatever their order of arrival (`semantics.md` §1).
extension [VerifiedPurchase] {
    /// The newest state, that of a bill only if there is no other; nil without states.
    package var newest: VerifiedPurchase? { self.max { $0.isOlder(than: $1) } }

    /// The largest quantity that any state names; of a plan, that of the newest.
    package var quantity: Int {
        newest?.type == .plan ? newest?.quantity ?? 1 : lazy.map(\.quantity).max() ?? 1
    }

    /// The revocation that is in force: of a plan, that of its newest state; else, of those that the newest state of
    /// each transaction shows, that of the largest share.
    package var revocation: Revocation? {
        guard newest?.type != .plan else { return newest?.revocation }
        return Dictionary(grouping: self, by: \.transactionID).values.compactMap { $0.newest?.revocation }
            .max { ($0.takenShare, $1.revokedAt) < ($1.takenShare, $0.revokedAt) }
    }
}

extension VerifiedPurchase {
    /// True if `other` tells the newer state: of more than a bill, stated later, else of the later purchase, of the
    /// larger transaction id, or taken back further.
    package func isOlder(than other: VerifiedPurchase) -> Bool {
        if isOfBill != other.isOfBill { return isOfBill }
        if statedAt != other.statedAt { return statedAt < other.statedAt }
        if purchasedAt != other.purchasedAt { return purchasedAt < other.purchasedAt }
        if transactionID != other.transactionID { return transactionID < other.transactionID }
        return takenShare < other.takenShare
    }
}
