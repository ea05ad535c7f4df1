/// A refund or dispute as a delivery reports it, with the numbers of the payment that it is about.
package struct Takeback: Hashable, Sendable {
    /// The numbers of the payment. Each of them can lead to the purchase.
    package let numbers: [String]
    /// The id of the charge or dispute; for an open dispute, the id of the event.
    package let id: TransactionID
    /// The refund; nil if nothing was taken back, or it was given back.
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

    /// Returns what the takeback states about a purchase with these states. Each statement has a transaction of its
    /// own, named by `id`, and says nothing but what was refunded. So later states of the purchase do not undo it
    /// (`semantics.md` §1).
    ///
    /// A payment takes a period only if the payment was refunded whole. Several payments of one bill take the period
    /// together. A payment that is for no period, such as the proration of an upgrade, takes nothing.
    ///
    /// - Parameters:
    ///   - states: The states of a purchase, in any order.
    ///   - transactions: The transactions that were paid for; nil if the payment is for the purchase itself.
    /// - Returns: A statement for each transaction that was paid for and that `states` contain.
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

/// The text form of a takeback. It names nobody, so it is kept when the text of the delivery is deleted.
extension Takeback {
    /// The fields of the takeback, separated by spaces; no field contains one. They are the share, the refund date and
    /// the signing date in milliseconds, the amount of the payment, the event, the charge or dispute, and the numbers.
    /// A `-` stands for a missing share or amount.
    package var text: String {
        let share = revocation.map { "\($0.share ?? Revocation.fullShare)" } ?? "-"
        let amount = revocation?.payment.map(String.init) ?? "-"
        let instants = [revocation?.revokedAt ?? signedAt, signedAt].map { "\($0.milliseconds)" }
        return ([share] + instants + [amount, eventID, id.text] + numbers).joined(separator: " ")
    }

    /// Reads the form that ``text`` writes; returns nil for any other text.
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
