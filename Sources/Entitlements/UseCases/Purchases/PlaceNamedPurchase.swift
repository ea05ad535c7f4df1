/// Gives a purchase to the user whom its own source names, if nobody has it (`semantics.md` §7).
///
/// The source knows whom it sold to, so its word is enough. What has an owner keeps it, an erased one too, with one
/// exception: a plan that somebody got as its store's customer goes to the first whom it names itself, who then had it
/// from the start. So it does not matter which came first. Repeat is safe.
package struct PlaceNamedPurchase: Sendable {
    package let key: PurchaseKey
    package let named: UserID?
    /// Whether the purchase names the user only by its store's customer.
    package let isCustomer: Bool

    package init(_ key: PurchaseKey, for named: UserID?, asCustomer isCustomer: Bool = false) {
        self.key = key
        self.named = named
        self.isCustomer = isCustomer
    }

    /// Who has the purchase; nil while nobody does.
    package func decide(given history: PurchaseHistory) -> Decision<UserID?, Never> {
        guard let owner = history.purchases[key]?.owner else {
            guard let named, !named.isErased else { return Decision(answer: .success(nil)) }
            return Decision(bindings: [key: named], bindsCustomers: isCustomer, answer: .success(named))
        }
        guard !isCustomer, let named, !named.isErased, !owner.isErased, history.ledger(of: owner).hasAsCustomer(key)
        else { return Decision(answer: .success(owner)) }
        if named == owner {
            return Decision(drafts: [owner: [.init(.bound(key), at: history.now)]], answer: .success(owner))
        }
        guard history.ledger(of: owner).hasOnlyPlan(key) else { return Decision(answer: .success(owner)) }
        let move = Move(to: named, Handover(cause: .named), at: history.now)
        return Decision(moves: [key: move], answer: .success(named))
    }
}

extension UserLedger {
    /// Whether all that is stated of `key` is of a plan, of which nothing can have been spent or run.
    fileprivate func hasOnlyPlan(_ key: PurchaseKey) -> Bool {
        entries.allSatisfy { entry in entry.fact.state.map { $0.key != key || $0.type == .plan } ?? true }
    }
}
