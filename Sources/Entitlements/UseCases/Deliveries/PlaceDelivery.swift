/// Places a delivery (`semantics.md` §5, §7). It gives the delivery's purchase to the user whom the delivery names, or
/// records what the delivery takes back.
///
/// A delivery that comes twice changes nothing the second time. It waits while its user or its purchase is not known.
/// Only a purchase that nobody has is given to the named user.
package struct PlaceDelivery: Sendable {
    package let news: DeliveryNews
    package let delivery: UInt64
    package let rules: ClaimRules

    package init(_ news: DeliveryNews, as delivery: UInt64, under rules: ClaimRules) {
        self.news = news
        self.delivery = delivery
        self.rules = rules
    }

    /// Decides the placement, and answers the outcome of the delivery.
    package func decide(given history: PurchaseHistory) -> Decision<DeliveryOutcome, Never> {
        if let takeback = news.takeback { return take(takeback, given: history) }
        let owner = DeliveryOwner(news, given: history, under: rules)
        let isNew = history.isEvidenceNew || owner.new != nil || owner.customer != nil || !news.numbers.isEmpty
        let isOwned = news.about == nil || owner.present != nil || owner.new != nil
        let outcome = outcome(isOwned: isOwned, isNew: isNew, because: owner.reason)
        var bindings: [PurchaseKey: UserID] = [:]
        if let about = news.about { bindings[about] = owner.new }
        return Decision(
            bindings: bindings,
            placement: Placement(
                of: delivery, outcome, about: news.about?.externalID,
                awaiting: outcome.result == .parked ? [news.customer?.text].compactMap(\.self) : [],
                telling: news.numbers, customer: owner.customer, asking: news.question),
            answer: .success(outcome))
    }

    /// Records a takeback in each purchase that the payment was for. The delivery waits until all of them are known.
    private func take(_ takeback: Takeback, given history: PurchaseHistory) -> Decision<DeliveryOutcome, Never> {
        let found = NumberSearch(for: takeback.numbers, in: news.space, given: history)
        var statements: [Statement] = []
        var awaited = found.purchases.isEmpty ? found.unknown : []
        for (key, transactions) in found.purchases.sorted(by: { $0.key < $1.key }) {
            let told = takeback.statements(about: history.states(of: key), paying: transactions)
            if told.count < transactions?.count ?? 1 { awaited.append(key.externalID.text) }
            statements += told
        }
        let isOwned = statements.contains { history.purchases[$0.key]?.owner != nil }
        let outcome =
            awaited.isEmpty
            ? outcome(isOwned: isOwned, isNew: !statements.allSatisfy(history.isStated))
            : DeliveryOutcome(.parked, because: .noPurchase)
        return Decision(
            placement: Placement(
                of: delivery, outcome, about: awaited.isEmpty ? statements.first?.key.externalID : nil,
                awaiting: awaited, telling: news.numbers, stating: statements),
            answer: .success(outcome))
    }

    private func outcome(
        isOwned: Bool, isNew: Bool, because reason: DeliveryReason? = nil
    ) -> DeliveryOutcome {
        let reason = reason ?? news.remark
        let isOfNothing = news.about == nil && news.takeback == nil && !isNew
        if news.isIgnored || isOfNothing { return DeliveryOutcome(.ignored, because: reason) }
        guard isOwned else {
            return DeliveryOutcome(.parked, because: reason == .invalidUser ? .invalidUser : .noUser)
        }
        return DeliveryOutcome(isNew ? .applied : .duplicate, because: reason)
    }
}

extension PurchaseHistory {
    /// Returns the states of a purchase: from its owner's ledger, else those that are recorded without an owner.
    fileprivate func states(of key: PurchaseKey) -> [VerifiedPurchase] {
        guard let owner = purchases[key]?.owner else { return purchases[key]?.states ?? [] }
        return ledger(of: owner).entries.compactMap(\.fact.state).filter { $0.key == key }
    }

    /// True if the same statement is recorded already.
    fileprivate func isStated(_ statement: Statement) -> Bool {
        states(of: statement.key).contains { Statement.purchase($0) == statement }
    }
}
