/// Brings what the user of an Apple account has to the user of an own login, who proved that account, and notes that
/// the account is theirs (`semantics.md` §5, *The Apple account as sign-in*).
package struct AdoptAccount: Sendable {
    package let account: UserID
    /// The label by which deliveries mention the account's user.
    package let name: Label
    package let user: UserID

    package init(_ account: UserID, mentionedAs name: Label, by user: UserID) {
        self.account = account
        self.name = name
        self.user = user
    }

    /// Returns true as the answer if a purchase came. Of any number of users at once exactly one adopts.
    package func decide(
        given history: PurchaseHistory, in context: FoldContext
    ) -> Decision<Bool, AppleAccountRefusal> {
        if let holder = history.tokenHolders[name], holder != user, holder != account, !holder.isErased {
            return Decision(answer: .failure(.signedInElsewhere))
        }
        return history.merging(
            account, mentionedAs: name, into: user, cause: .adopt, note: nil, request: nil, in: context
        ).mapReply { !$0.isEmpty }
    }
}
