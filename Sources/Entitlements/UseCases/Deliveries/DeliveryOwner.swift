/// The owner of a delivery's purchase: the user who has it, or the user who gets it because nobody has it
/// (`semantics.md` §5, §7).
///
/// For card billing the user who gets it is the first whom the delivery names, else the user whom its customer stands
/// for. For the App Store it is the user of the account token.
struct DeliveryOwner {
    /// The user who has the purchase; nil while nobody has it.
    private(set) var present: UserID?
    /// The user who gets the purchase; nil if somebody has it already, or nobody is named.
    private(set) var new: UserID?
    /// The user whom the delivery's customer stands for from now on; nil if that does not change.
    private(set) var customer: Placement.Customer?
    /// A remark for operators: the delivery names no valid user id, or contradicts what is known.
    private(set) var reason: DeliveryReason?

    init(_ news: DeliveryNews, given history: PurchaseHistory, under rules: ClaimRules) {
        present = news.about.flatMap { history.purchases[$0]?.owner }
        if let token = news.token {
            guard let about = news.about, let named = history.tokenHolders[token], !named.isErased,
                !token.isLegacyToken || rules.decodesLegacyTokens
            else { return }
            if let present {
                reason = present == named || present.isErased ? nil : .contradicted
            } else if history.purchases[about]?.isFor(named, given: history, under: rules) ?? false {
                new = named
            }
            return
        }
        if news.namesNoUserID { reason = .invalidUser }
        // While an erased person has the purchase, its deliveries name no new owner, and no user for its customer.
        guard present?.isErased != true else { return }
        let told = news.users.first { !history.erased.contains($0) }
        let holder = news.customer.flatMap { history.tokenHolders[$0] }
        if present == nil, news.about != nil { new = told ?? holder.flatMap { $0.isErased ? nil : $0 } }
        guard let told else { return }
        // A customer keeps the user who was named first, and a purchase keeps its owner.
        if [present, holder].contains(where: { $0.map { $0 != told && !$0.isErased } ?? false }) {
            reason = .contradicted
        }
        guard let label = news.customer, holder == nil, present == nil || present == told else { return }
        customer = Placement.Customer(label: label, user: told)
    }
}

extension PurchaseHistory.KnownPurchase {
    /// True if the newest account token of the purchase names `user`.
    fileprivate func isFor(_ user: UserID, given history: PurchaseHistory, under rules: ClaimRules) -> Bool {
        guard let token = newestToken, !token.isLegacyToken || rules.decodesLegacyTokens else { return false }
        return history.tokenHolders[token] == user
    }
}
