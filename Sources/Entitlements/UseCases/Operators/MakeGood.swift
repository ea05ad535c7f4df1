/// Makes good, with one act, a pass that had run out before it was attached (`semantics.md` §6): the same again, from
/// now.
///
/// Repeat is safe because `id` is made of the purchase by the caller, the same each time: there is one grant for each.
package struct MakeGood: Sendable {
    package let key: PurchaseKey
    package let id: ExternalID
    package let user: UserID
    package let note: Note
    package let context: FoldContext

    package init(
        _ key: PurchaseKey, of user: UserID, as id: ExternalID, note: Note, in context: FoldContext
    ) {
        self.key = key
        self.id = id
        self.user = user
        self.note = note
        self.context = context
    }

    package func decide(given history: PurchaseHistory) -> Decision<Grant, MakeGoodRefusal> {
        let timeline = history.timeline(of: user, in: context)
        guard let index = timeline.position(ofHeld: key) else { return Decision(answer: .failure(.unknownPurchase)) }
        let made = Grant.key(id)
        if let grant = history.ledger(of: user).grant(of: made) { return Decision(answer: .success(grant)) }
        let purchase = timeline.purchases[index]
        guard case .pass(let tier, let length) = purchase.benefit,
            timeline.standing(of: key, at: history.now) == .endedBeforeAttached
        else { return Decision(answer: .failure(.notEndedBeforeAttached)) }
        let paid = Pass.paidLength(of: length, refunded: purchase.share.share(at: history.now))
        let gift = Grant.Gift.pass(tier: tier.id, length: paid)
        return .giving(Grant(key: made, gift: gift, grantedAt: history.now), to: user, note: note)
    }
}

/// Why nothing was made good, in order of precedence; the raw value is the problem's code.
package enum MakeGoodRefusal: String, Error, Hashable, Sendable, CaseIterable {
    /// The user has no such purchase.
    case unknownPurchase = "unknown_purchase"
    /// The purchase gives or gave something, was refunded, or counts for nothing.
    case notEndedBeforeAttached = "not_ended_before_attached"
}
