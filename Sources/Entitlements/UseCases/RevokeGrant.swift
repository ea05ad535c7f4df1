/// An operator takes a grant back, by its id (`contract.md` §5).
package struct RevokeGrant: Sendable {
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

    /// Since when it is revoked; a repeat answers as the first time.
    package func decide(given history: PurchaseHistory) -> Decision<Instant, RevokeGrantRefusal> {
        let revoked = RevokePurchase(Grant.key(id), of: user, note: note, in: context).decide(given: history)
        return Decision(drafts: revoked.drafts, answer: revoked.answer.mapError { RevokeGrantRefusal($0) })
    }
}

/// Why no grant was revoked; the raw value is the problem's code.
package enum RevokeGrantRefusal: String, Error, Hashable, Sendable, CaseIterable {
    /// The user has no such grant.
    case unknownGrant = "unknown_grant"

    fileprivate init(_ refusal: RevokeRefusal) {
        switch refusal {
        case .unknownPurchase: self = .unknownGrant
        }
    }
}
