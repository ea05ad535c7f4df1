/// Gives a purchase that a store tells of by itself to the user whom its account token names (`semantics.md` §5).
///
/// A token only names: it gives what nobody has, and takes nothing from anybody. What an erased person owes of the same
/// Apple account stays open until the user shows the purchase, because anybody can buy with anybody's token. Repeat is
/// safe: what has an owner keeps it.
package struct PlacePurchase: Sendable {
    package let key: PurchaseKey
    /// Whom the token names, as far as that was known before the purchase was locked.
    package let named: UserID?
    package let rules: ClaimRules

    package init(_ key: PurchaseKey, for named: UserID?, under rules: ClaimRules) {
        self.key = key
        self.named = named
        self.rules = rules
    }

    /// Who has the purchase; nil while nobody does.
    package func decide(given history: PurchaseHistory) -> Decision<UserID?, Never> {
        if let owner = history.purchases[key]?.owner { return Decision(answer: .success(owner)) }
        guard let named, !named.isErased, history.purchases[key]?.isFor(named, given: history, under: rules) ?? false
        else { return Decision(answer: .success(nil)) }
        return Decision(bindings: [key: named], answer: .success(named))
    }
}

extension PurchaseHistory.KnownPurchase {
    /// Whether its account token names `user`.
    fileprivate func isFor(_ user: UserID, given history: PurchaseHistory, under rules: ClaimRules) -> Bool {
        guard let token = newestToken, !token.isLegacyToken || rules.decodesLegacyTokens else { return false }
        return history.tokenHolders[token] == user
    }
}
