/// Places a delivery: gives its purchase to the user whom it names, takes back what went back, and says what became of
/// it (`semantics.md` §5, §7).
///
/// A notification that comes twice changes nothing the second time. While its user or purchase is not known, it waits.
/// A name gives a purchase that nobody has, and takes none from anybody.
package struct PlaceDelivery: Sendable {
    package let news: DeliveryNews
    package let delivery: UInt64
    package let rules: ClaimRules

    package init(_ news: DeliveryNews, as delivery: UInt64, under rules: ClaimRules) {
        self.news = news
        self.delivery = delivery
        self.rules = rules
    }

    /// The standing of the delivery.
    package func decide(given history: PurchaseHistory) -> Decision<DeliveryStanding, Never> {
        if let takeback = news.takeback { return take(takeback, given: history) }
        let owner = DeliveryOwner(news, given: history, under: rules)
        let isNew = history.isEvidenceNew || owner.new != nil || owner.customer != nil || !news.numbers.isEmpty
        let isOwned = news.about == nil || owner.present != nil || owner.new != nil
        let standing = standing(isOwned: isOwned, isNew: isNew, because: owner.reason)
        var bindings: [PurchaseKey: UserID] = [:]
        if let about = news.about { bindings[about] = owner.new }
        return Decision(
            bindings: bindings,
            placement: Placement(
                of: delivery, standing, about: news.about?.externalID,
                awaiting: standing.result == .parked ? [news.customer?.text].compactMap(\.self) : [],
                telling: news.numbers, customer: owner.customer),
            answer: .success(standing))
    }

    /// Takes back of the purchases that the payment was for; waits until all of them are known.
    private func take(_ takeback: Takeback, given history: PurchaseHistory) -> Decision<DeliveryStanding, Never> {
        let found = NumberSearch(for: takeback.numbers, in: news.space, given: history)
        var statements: [Statement] = []
        var awaited = found.purchases.isEmpty ? found.unknown : []
        for (key, transactions) in found.purchases.sorted(by: { $0.key < $1.key }) {
            let told = takeback.statements(about: history.states(of: key), paying: transactions)
            if told.count < transactions?.count ?? 1 { awaited.append(key.externalID.text) }
            statements += told
        }
        let isOwned = statements.contains { history.purchases[$0.key]?.owner != nil }
        let standing =
            awaited.isEmpty
            ? standing(isOwned: isOwned, isNew: !statements.allSatisfy(history.isStated))
            : DeliveryStanding(.parked, because: .noPurchase)
        return Decision(
            placement: Placement(
                of: delivery, standing, about: awaited.isEmpty ? statements.first?.key.externalID : nil,
                awaiting: awaited, telling: news.numbers, stating: statements),
            answer: .success(standing))
    }

    private func standing(
        isOwned: Bool, isNew: Bool, because reason: DeliveryReason? = nil
    ) -> DeliveryStanding {
        let reason = reason ?? news.remark
        let isOfNothing = news.about == nil && news.takeback == nil && !isNew
        if news.isIgnored || isOfNothing { return DeliveryStanding(.ignored, because: reason) }
        guard isOwned else {
            return DeliveryStanding(.parked, because: reason == .invalidUser ? .invalidUser : .noUser)
        }
        return DeliveryStanding(isNew ? .applied : .duplicate, because: reason)
    }
}

extension PurchaseHistory {
    /// The states of the purchase of `key`: in the ledger of who has it, else those that wait.
    fileprivate func states(of key: PurchaseKey) -> [VerifiedPurchase] {
        guard let owner = purchases[key]?.owner else { return purchases[key]?.states ?? [] }
        return ledger(of: owner).entries.compactMap(\.fact.state).filter { $0.key == key }
    }

    /// True if the statement is known already.
    fileprivate func isStated(_ statement: Statement) -> Bool {
        states(of: statement.key).contains { Statement.purchase($0) == statement }
    }
}
