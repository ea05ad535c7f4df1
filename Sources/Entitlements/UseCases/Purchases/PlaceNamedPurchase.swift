/// Gives a purchase to the user whom its own source names, if nobody has it (`semantics.md` §7).
///
/// The source knows whom it sold to, so its word is enough. What has an owner keeps it, an erased one too. Repeat is
/// safe.
package struct PlaceNamedPurchase: Sendable {
    package let key: PurchaseKey
    package let named: UserID?

    package init(_ key: PurchaseKey, for named: UserID?) {
        self.key = key
        self.named = named
    }

    /// Who has the purchase; nil while nobody does.
    package func decide(given history: PurchaseHistory) -> Decision<UserID?, Never> {
        if let owner = history.purchases[key]?.owner { return Decision(answer: .success(owner)) }
        guard let named, !named.isErased else { return Decision(answer: .success(nil)) }
        return Decision(bindings: [key: named], answer: .success(named))
    }
}
