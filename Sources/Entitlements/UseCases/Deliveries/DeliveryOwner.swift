/// The owner of a delivered purchase: the first user whom an event of its own names, else the user whom its customer is
/// remembered as; by the App Store the user of its account token (`semantics.md` §5). A purchase that is bound stays.
struct DeliveryOwner {
    /// The user who has the purchase; nil while nobody does.
    private(set) var present: UserID?
    /// The user who gets the purchase, which nobody has.
    private(set) var new: UserID?
    /// The user whom the customer is from now on.
    private(set) var customer: Placement.Customer?
    /// For operators.
    private(set) var reason: DeliveryReason?

    init(_ news: DeliveryNews, given history: PurchaseHistory, under rules: ClaimRules) {
        present = news.about.flatMap { history.purchases[$0]?.owner }
        if let token = news.token {
            guard present == nil, let about = news.about, let named = history.tokenHolders[token], !named.isErased,
                history.purchases[about]?.isFor(named, given: history, under: rules) ?? false
            else { return }
            new = named
            return
        }
        if news.namesNoUserID { reason = .invalidUser }
        // The purchase of an erased person names nobody anew.
        guard present?.isErased != true else { return }
        let told = news.users.first { !history.erased.contains($0) }
        let holder = news.customer.flatMap { history.tokenHolders[$0] }
        if present == nil, news.about != nil { new = told ?? holder.flatMap { $0.isErased ? nil : $0 } }
        guard let told else { return }
        // A customer once named is never renamed, nor does a purchase change hands.
        if [present, holder].contains(where: { $0.map { $0 != told && !$0.isErased } ?? false }) {
            reason = .contradicted
        }
        guard let label = news.customer, holder == nil, present == nil || present == told else { return }
        customer = Placement.Customer(label: label, user: told)
    }
}

extension PurchaseHistory.KnownPurchase {
    /// True if its account token names `user`.
    fileprivate func isFor(_ user: UserID, given history: PurchaseHistory, under rules: ClaimRules) -> Bool {
        guard let token = newestToken, !token.isLegacyToken || rules.decodesLegacyTokens else { return false }
        return history.tokenHolders[token] == user
    }
}
