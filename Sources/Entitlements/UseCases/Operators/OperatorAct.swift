/// An act of an operator on a user. Its facts carry the operator's note. Neither ownership policies nor limits bind an
/// operator.
///
/// Each act is safe to repeat: a repeat appends nothing and gets the first answer.
package struct OperatorAct: Sendable {
    package let user: UserID
    package let note: Note

    package init(on user: UserID, note: Note) {
        self.user = user
        self.note = note
    }

    /// Puts the user on the list of sandbox testers, or takes them off it (`semantics.md` §9). The answer is true if
    /// they are on the list now.
    package func nameSandboxTester(
        _ isTester: Bool, given history: PurchaseHistory
    ) -> Decision<Bool, OperatorRefusal> {
        let isNew = history.ledger(of: user).isSandboxTester() != isTester
        return Decision(
            drafts: isNew ? [user: [.init(.sandboxTester(isTester), at: history.now, note: note)]] : [:],
            answer: .success(isTester))
    }
}

/// The reason why an operator's act changes nothing. The raw value is the code of the problem, or the member of the
/// request that is out of range.
package enum OperatorRefusal: String, Error, Hashable, Sendable, CaseIterable {
    /// The user has no purchase with this id, or nothing is recorded about the id.
    case unknownPurchase = "unknown_purchase"
    /// The user has several purchases with this id.
    case ambiguousPurchase = "ambiguous_purchase"
    /// A living user has the purchase, so it can only be transferred from that user.
    case ownedByAnotherUser = "owned_by_another_user"
    /// An erased person has the purchase, so only the same Apple account can claim it.
    case ownerErased = "not_claimable"
    /// The user has no grant with this id.
    case unknownGrant = "unknown_grant"
    case sameUser = "same_user"
    /// Nothing was ever recorded of the guest, and no account token was issued to them.
    case unknownGuest = "unknown_guest"
    /// The catalogue in force has no tier with this name.
    case unknownTier = "unknown_tier"
    case unknownProduct = "unknown_product"
    /// The product is no add-on.
    case notAnAddOn = "not_an_add_on"
    /// Several apps sell an add-on with this id.
    case ambiguousProduct = "ambiguous_product"
    /// No consumable of the catalogue in force credits the unit.
    case unknownUnit = "unknown_unit"
    case daysOutOfRange = "days"
    case hoursOutOfRange = "add_hours"
    /// The number of units is below 1 or above the most that a grant may give.
    case amountOutOfRange = "amount"
    /// The end of a window lies in the past, or after the last date that RFC 3339 can write.
    case endOutOfRange = "until"
    /// The end of credits lies in the past, or after the last date that RFC 3339 can write.
    case expiryOutOfRange = "expires_at"
    /// The outage ends before it begins, or has not begun yet.
    case emptyOutage = "to"
    /// The user had no coverage that counts during the outage.
    case notAffected = "not_affected"
    /// The purchase is no pass that had ended before it was attached.
    case notEndedBeforeAttached = "not_ended_before_attached"
}
