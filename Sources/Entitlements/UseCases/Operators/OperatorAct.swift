/// An operator's act on a user, beside whose facts the operator's words stand. Neither policies nor limits hold an
/// operator back.
///
/// Each act is safe to repeat: the second time nothing is appended, and the answer is the first.
package struct OperatorAct: Sendable {
    package let user: UserID
    package let note: Note

    package init(on user: UserID, note: Note) {
        self.user = user
        self.note = note
    }

    /// Puts the user on the list of sandbox testers, or takes them off (`semantics.md` §9). Answers whether they are on
    /// the list now.
    package func nameSandboxTester(
        _ isTester: Bool, given history: PurchaseHistory
    ) -> Decision<Bool, OperatorRefusal> {
        let isNew = history.ledger(of: user).isSandboxTester() != isTester
        return Decision(
            drafts: isNew ? [user: [.init(.sandboxTester(isTester), at: history.now, note: note)]] : [:],
            answer: .success(isTester))
    }
}

/// Why an operator's act changes nothing. The raw value is the problem's code, or the member that is out of range.
package enum OperatorRefusal: String, Error, Hashable, Sendable, CaseIterable {
    /// The user has no such purchase, or nothing of its id was recorded.
    case unknownPurchase = "unknown_purchase"
    /// The user has several purchases of that id.
    case ambiguousPurchase = "ambiguous_purchase"
    /// Somebody has it, from whom it can be transferred.
    case ownedByAnotherUser = "owned_by_another_user"
    /// The user has no such grant.
    case unknownGrant = "unknown_grant"
    case sameUser = "same_user"
    /// Nothing was ever recorded of the guest, and no account token was issued to them.
    case unknownGuest = "unknown_guest"
    /// The catalogue in force names no such tier.
    case unknownTier = "unknown_tier"
    case unknownProduct = "unknown_product"
    /// The product is no add-on.
    case notAnAddOn = "not_an_add_on"
    /// Several apps sell an add-on of that id.
    case ambiguousProduct = "ambiguous_product"
    /// No consumable of the catalogue in force credits the unit.
    case unknownUnit = "unknown_unit"
    case daysOutOfRange = "days"
    case hoursOutOfRange = "add_hours"
    /// More units than a lot may have, or none.
    case amountOutOfRange = "amount"
    /// The end of a window lies in the past, or beyond the dates that can be written.
    case endOutOfRange = "until"
    /// The end of credits does.
    case expiryOutOfRange = "expires_at"
    /// The outage ends before it begins, or has not begun.
    case emptyOutage = "to"
    /// The user had nothing that the outage could take from them.
    case notAffected = "not_affected"
    /// The purchase gives or gave something, was refunded, or counts for nothing.
    case notEndedBeforeAttached = "not_ended_before_attached"
}
