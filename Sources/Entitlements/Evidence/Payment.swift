/// A payment for a purchase, as lists show it: what was paid, and what went back of it. It decides nothing.
package struct Payment: Hashable, Sendable {
    /// The store's number of the payment: of a card, that of an invoice or of the purchase itself; of the App Store,
    /// that of the transaction.
    package let number: String
    package let madeAt: Instant
    /// The amount that was paid; nil if the store told only what went back.
    package let paid: Int64?
    package let refunded: Int64
    /// The code of the currency in upper-case letters; nil if the store names none.
    package let currency: String?
    /// True if the amounts are as the store wrote them, because their unit is not known here. Otherwise they are in
    /// thousandths of that unit.
    package let isRaw: Bool

    /// A step on the way from a purchase to the amounts that were told of it.
    package struct Step: Hashable, Sendable {
        /// The number that leads to `number`; at the start of the way, the purchase itself.
        package let origin: String
        package let number: String
        /// The amounts that were told under `number`; nil if none were.
        package let amount: PaymentAmount?

        package init(from origin: String, to number: String, _ amount: PaymentAmount?) {
            self.origin = origin
            self.number = number
            self.amount = amount
        }
    }
}

extension Payment {
    /// The payments for the purchase `root`, the last made first. `steps` are all steps that can be reached from it, in
    /// any order.
    ///
    /// Amounts behind an invoice belong to one payment, all others to another. A store tells one payment several times.
    /// So what was paid is what the charges captured, else what the invoice says, else what the checkout says. If an
    /// invoice says more than its charges, some charges are not known, and the invoice counts. What went back is the
    /// sum over the charges.
    package static func all(for root: String, by steps: [Step]) -> [Payment] {
        let next = Dictionary(grouping: steps, by: \.origin)
        let amounts = Dictionary(steps.map { ($0.number, $0.amount) }, uniquingKeysWith: { $0 ?? $1 })
        var told: [String: [PaymentAmount]] = [:]
        var seen: Set<String> = []
        var way = [(bill: root, number: root)]
        while let (bill, number) = way.popLast() {
            guard seen.insert(number).inserted else { continue }
            let amount = amounts[number] ?? nil
            let bill = amount?.kind == .invoice ? number : bill
            if let amount { told[bill, default: []].append(amount) }
            way += (next[number] ?? []).map { (bill, $0.number) }
        }
        // The checkout of a subscription is told again by the first invoice.
        if told.keys.contains(where: { $0 != root }) { told[root]?.removeAll { $0.kind == .checkout } }
        return told.flatMap { payments($0, told: $1) }.sorted(by: precedes)
    }

    /// The payment with these amounts; several if they are in several currencies, and none if nothing was paid.
    private static func payments(_ number: String, told amounts: [PaymentAmount]) -> [Payment] {
        let told = amounts.filter { $0.paid != nil || $0.refunded != 0 }
        return Dictionary(grouping: told, by: \.unit).compactMap { unit, told in
            let kinds = Dictionary(grouping: told, by: \.kind)
            let deciding = [PaymentAmount.Kind.charge, .invoice, .checkout].compactMap { kinds[$0] }
                .first { $0.contains { $0.paid != nil } }
            guard let deciding = deciding ?? kinds[.charge] else { return nil }
            let paid = deciding.compactMap(\.paid)
            let billed = (kinds[.invoice] ?? []).compactMap(\.paid)
            return Payment(
                number: number, madeAt: deciding.map(\.madeAt).min() ?? .distantPast,
                paid: ([paid.isEmpty ? nil : sum(paid)] + billed).compactMap(\.self).max(),
                refunded: sum((kinds[.charge] ?? []).map(\.refunded)), currency: unit.currency, isRaw: unit.isRaw)
        }
    }

    /// The sum; the largest number if it is larger than that.
    private static func sum(_ amounts: [Int64]) -> Int64 {
        amounts.reduce(0) { sum, amount in
            let (next, isTooLarge) = sum.addingReportingOverflow(amount)
            return isTooLarge ? .max : next
        }
    }

    private static func precedes(_ left: Payment, _ right: Payment) -> Bool {
        (right.madeAt, right.number, right.currency ?? "") < (left.madeAt, left.number, left.currency ?? "")
    }
}

extension Payment {
    /// The payments that the states of one purchase show, the last made first: one for each period of a plan, else one.
    /// The newest state counts. None for a source that tells amounts by its events, and for what was shared by somebody
    /// else.
    package static func all(shownBy states: [VerifiedPurchase]) -> [Payment] {
        let shown = states.filter { $0.eventID == nil && !$0.isFamilyShared }
        let periods = Dictionary(grouping: shown) { $0.type == .plan ? $0.periodID ?? $0.transactionID.text : "" }
        return periods.values.compactMap { states in
            states.max { ($0.signedAt, $0.takenShare) < ($1.signedAt, $1.takenShare) }.flatMap(Payment.init)
        }.sorted(by: precedes)
    }

    /// The payment that a state shows; nil if it shows no price.
    private init?(_ state: VerifiedPurchase) {
        guard let price = state.price else { return nil }
        let refunded = Int64(Revocation.fullShare).dividingFullWidth(
            price.milliunits.multipliedFullWidth(by: Int64(state.takenShare)))
        self.init(
            number: state.transactionID.text, madeAt: state.purchasedAt, paid: price.milliunits,
            refunded: refunded.quotient, currency: price.currency, isRaw: false)
    }
}

extension PaymentAmount {
    fileprivate var unit: Unit { Unit(currency: currency, isRaw: isRaw) }

    /// The unit of amounts; only amounts of one unit can be compared and added.
    fileprivate struct Unit: Hashable {
        let currency: String?
        let isRaw: Bool
    }
}

extension VerifiedPurchase {
    /// The share of the price that this state shows as refunded.
    var takenShare: Int { revocation?.takenShare ?? 0 }
}
