package import Entitlements

/// What an event says, in our words: statements, who is named, and which names mean which purchase.
package struct CardNews: Sendable {
    /// Something that the account's numbers lead to.
    package enum Meaning: Hashable, Sendable {
        /// What another number means.
        case number(String)
        /// A transaction of a purchase.
        case transaction(ExternalID, TransactionID)
    }

    /// A number of the account and what it means.
    package struct Link: Hashable, Sendable {
        package let number: String
        package let meaning: Meaning

        package init(_ number: String, _ meaning: Meaning) {
            self.number = number
            self.meaning = meaning
        }
    }

    /// What operators should know, though it changes nobody's access.
    package enum Remark: Hashable, Sendable {
        /// Money that was to go back did not.
        case refundFailed
        case disputed
        /// It counts when it is paid.
        case unpaid
        /// Its type concerns nobody's access.
        case unconcerned
        case unknownType
        case thin
        case unreadable
    }

    package let environment: StoreEnvironment
    /// The purchase that it names; of a payment that is named by a number only the number says which.
    package internal(set) var about: PurchaseKey?
    package internal(set) var statements: [Statement] = []
    /// Whom it names, in the order of trust, as it was written.
    package internal(set) var users: [String] = []
    /// The card account's customer.
    package internal(set) var customer: String?
    package internal(set) var links: [Link] = []
    /// What it takes back of a purchase that is known by then.
    package internal(set) var takeback: CardTakeback?
    package internal(set) var remark: Remark?

    init(in environment: StoreEnvironment) { self.environment = environment }
}

/// Money that went back, or did not after all, and the numbers of the payment that it is about.
package struct CardTakeback: Hashable, Sendable {
    /// Any of them leads to the purchase.
    package let numbers: [String]
    /// The charge or dispute.
    package let id: TransactionID
    /// Nil for nothing.
    package let revocation: Revocation?
    package let signedAt: Instant
    package let eventID: String

    /// The statements that it makes of a purchase whose states are known: a transaction of its own, under each of the
    /// periods that the payment was for, which says nothing but what went back. So what the purchase's own states say
    /// later does not undo it (`semantics.md` §1). Of a window only the whole payment takes something; what was charged
    /// beside the periods, such as the proration of an upgrade, takes none.
    ///
    /// - Parameters:
    ///   - states: Of one purchase, in any order.
    ///   - transactions: The transactions that were paid for; nil for the purchase itself.
    /// - Returns: One for each of the transactions that is stated, so fewer as long as one is not.
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
