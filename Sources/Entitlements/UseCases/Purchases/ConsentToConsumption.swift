/// Records whether the user allows the server to tell Apple about their consumption (`api.md`, "Consent").
package struct ConsentToConsumption: Sendable {
    package let user: UserID
    package let consents: Bool

    package init(_ user: UserID, consents: Bool) {
        self.user = user
        self.consents = consents
    }

    /// Decides on the consent. The answer is the consent that holds now. Nothing is recorded if it does not change.
    package func decide(given history: PurchaseHistory) -> Decision<Bool, Never> {
        guard history.ledger(of: user).consentsToConsumption != consents else {
            return Decision(answer: .success(consents))
        }
        return Decision(
            drafts: [user: [.init(.consumptionConsent(consents), at: history.now)]], answer: .success(consents))
    }
}
