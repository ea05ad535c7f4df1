/// Money that went back, or did not after all, and the numbers of the payment that it is about.
package struct Takeback: Hashable, Sendable {
    /// Any of them leads to the purchase.
    package let numbers: [String]
    /// The charge or dispute.
    package let id: TransactionID
    /// Nil for nothing.
    package let revocation: Revocation?
    package let signedAt: Instant
    package let eventID: String

    package init(
        numbers: [String], id: TransactionID, revocation: Revocation?, signedAt: Instant, eventID: String
    ) {
        self.numbers = numbers
        self.id = id
        self.revocation = revocation
        self.signedAt = signedAt
        self.eventID = eventID
    }

    /// The statements that it makes of a purchase whose states are known: a transaction of its own, under each of the
    /// periods that the payment was for, which says nothing but what went back. So what the purchase's own states say
    /// later does not undo it (`semantics.md` §1). Of a window only whole payments take something, and those of one
    /// bill take it together; what was charged beside the periods, such as the proration of an upgrade, takes none.
    ///
    /// - Parameters:
    ///   - states: The states of a purchase, in any order.
    ///   - transactions: The transactions that were paid for; nil for the purchase itself.
    /// - Returns: A statement for each transaction that is stated already.
    package func statements(
        about states: [VerifiedPurchase], paying transactions: Set<TransactionID>?
    ) -> [Statement] {
        var firsts: [TransactionID: VerifiedPurchase] = [:]
        for state in states where state.isOriginal || state.isOfBill {
            let isEarlier =
                firsts[state.transactionID].map { first in
                    (state.signedAt, state.eventID ?? "") < (first.signedAt, first.eventID ?? "")
                } ?? true
            if isEarlier { firsts[state.transactionID] = state }
        }
        let paid = transactions ?? Set(firsts.keys)
        return paid.sorted().compactMap { firsts[$0] }.map { .purchase(copy(of: $0)) }
    }

    private func copy(of state: VerifiedPurchase) -> VerifiedPurchase {
        let takesNothing = state.type == .plan && (revocation?.share ?? 0) < Revocation.fullShare
        return VerifiedPurchase(
            key: state.key, transactionID: id, isOriginal: false, periodID: state.periodID,
            productID: state.productID, otherNames: state.otherNames, type: state.type,
            purchasedAt: state.purchasedAt, originallyPurchasedAt: state.originallyPurchasedAt,
            quantity: state.quantity, revocation: takesNothing ? nil : revocation, signedAt: signedAt,
            eventID: eventID, item: state.item)
    }
}

/// A takeback without any name, for a delivery whose text may be deleted before its purchase is known.
extension Takeback {
    /// The share, two instants in milliseconds, how much the payment was, the event, the charge or dispute and the
    /// numbers, separated by spaces: none of them has one. A `-` stands for no share and for no amount.
    package var text: String {
        let share = revocation.map { "\($0.share ?? Revocation.fullShare)" } ?? "-"
        let amount = revocation?.payment.map(String.init) ?? "-"
        let instants = [revocation?.revokedAt ?? signedAt, signedAt].map { "\($0.milliseconds)" }
        return ([share] + instants + [amount, eventID, id.text] + numbers).joined(separator: " ")
    }

    /// Nil for a text that ``text`` does not make.
    package init?(text: String) {
        let words = text.split(separator: " ").map(String.init)
        guard words.count >= 6, let revokedAt = Int64(words[1]), let signedAt = Int64(words[2]) else { return nil }
        let (share, payment) = (Int(words[0]), Int64(words[3]))
        guard share != nil || words[0] == "-", payment != nil || words[3] == "-" else { return nil }
        self.init(
            numbers: Array(words[6...]), id: TransactionID(words[5]),
            revocation: share.map {
                Revocation(revokedAt: Instant(milliseconds: revokedAt), share: $0, payment: payment)
            }, signedAt: Instant(milliseconds: signedAt), eventID: words[4])
    }
}
