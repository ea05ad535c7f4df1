extension OperatorAct {
    /// Ends what was issued to the user of an Apple account, and what texts were made before now: for the user of an
    /// Apple account that account, for any other user all that stand for them. The answer is the number of accounts.
    ///
    /// - Parameter name: The label by which deliveries mention the user, who need not have been seen before.
    package func signOut(
        mentionedAs name: Label, given history: PurchaseHistory
    ) -> Decision<SignOut, OperatorRefusal> {
        let own = user.isAppleAccount ? [name] : []
        let accounts = history.tokens(of: user).filter(\.mentionsAppleAccount).union(own)
        return Decision(
            signOuts: Dictionary(uniqueKeysWithValues: accounts.map { ($0, user) }),
            answer: .success(SignOut(at: history.now, accounts: accounts.count)))
    }

    /// The answer to a sign-out.
    package struct SignOut: Hashable, Sendable {
        /// The instant before which nothing signs in any more.
        package let at: Instant
        /// The number of Apple accounts that were signed out.
        package let accounts: Int
    }
}
