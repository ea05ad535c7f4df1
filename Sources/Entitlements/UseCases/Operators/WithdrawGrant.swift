/// An operator takes a grant back, by its id.
package struct WithdrawGrant: Sendable {
    package let id: ExternalID
    package let user: UserID
    package let note: Note
    package let context: FoldContext

    package init(_ id: ExternalID, of user: UserID, note: Note, in context: FoldContext) {
        self.id = id
        self.user = user
        self.note = note
        self.context = context
    }

    /// Since when it is withdrawn; a repeat answers as the first time.
    package func decide(given history: PurchaseHistory) -> Decision<Instant, WithdrawGrantRefusal> {
        let withdrawn = WithdrawPurchase(Grant.key(id), of: user, note: note, in: context).decide(given: history)
        return Decision(drafts: withdrawn.drafts, answer: withdrawn.answer.mapError { WithdrawGrantRefusal($0) })
    }
}

/// Why no grant was withdrawn; the raw value is the problem's code.
package enum WithdrawGrantRefusal: String, Error, Hashable, Sendable, CaseIterable {
    /// The user has no such grant.
    case unknownGrant = "unknown_grant"

    fileprivate init(_ refusal: WithdrawPurchaseRefusal) {
        switch refusal {
        case .unknownPurchase: self = .unknownGrant
        }
    }
}
