/// Everything that a decision may know, the evidence at hand included: loaded under locks, the same for every repeat.
package struct PurchaseHistory: Sendable {
    /// One purchase as this server knows it, whoever owns it.
    package struct KnownPurchase: Sendable {
        package var owner: UserID?
        package var states: [VerifiedPurchase]

        package init(owner: UserID? = nil, states: [VerifiedPurchase] = []) {
            self.owner = owner
            self.states = states
        }
    }

    package let now: Instant
    package var ledgers: [UserID: UserLedger]
    package var purchases: [PurchaseKey: KnownPurchase]
    /// The users to whom the account tokens in the evidence were issued.
    package let tokenHolders: [AccountToken: UserID]

    package init(
        now: Instant, ledgers: [UserID: UserLedger], purchases: [PurchaseKey: KnownPurchase],
        tokenHolders: [AccountToken: UserID]
    ) {
        self.now = now
        self.ledgers = ledgers
        self.purchases = purchases
        self.tokenHolders = tokenHolders
    }
}

/// What a decision wants appended, and what it answers; the evidence is kept whatever the answer.
package struct Decision<Reply: Sendable, Refusal: Error>: Sendable {
    /// Purchases that become a user's.
    package let bindings: [PurchaseKey: UserID]
    package let answer: Result<Reply, Refusal>

    package init(bindings: [PurchaseKey: UserID] = [:], answer: Result<Reply, Refusal>) {
        self.bindings = bindings
        self.answer = answer
    }
}
