/// A user allows, or forbids, to tell Apple about their consumption (`api.md`, "Consent").
package struct ConsentToConsumption: Sendable {
    package let user: UserID
    package let consents: Bool

    package init(_ user: UserID, consents: Bool) {
        self.user = user
        self.consents = consents
    }

    /// Answers the consent that holds now; an act that changes nothing is not recorded.
    package func decide(given history: PurchaseHistory) -> Decision<Bool, Never> {
        guard history.ledger(of: user).consentsToConsumption != consents else {
            return Decision(answer: .success(consents))
        }
        return Decision(
            drafts: [user: [.init(.consumptionConsent(consents), at: history.now)]], answer: .success(consents))
    }
}
