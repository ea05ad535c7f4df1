package import Entitlements

/// The meaning of an event: its statements, the users that it names, and the numbers that lead to purchases.
package struct CardNews: Sendable {
    /// A remark for operators. It changes nobody's access.
    package enum Remark: Hashable, Sendable {
        /// A refund failed, so the money stayed with the seller.
        case refundFailed
        case disputed
        /// The payment is not made yet; the purchase counts when it is paid.
        case unpaid
        /// Events of this type change nobody's access.
        case unconcerned
        case unknownType
        case thin
        case unreadable
    }

    package let environment: StoreEnvironment
    /// The purchase that the event names; nil if only a number in ``numbers`` or ``takeback`` leads to it.
    package internal(set) var about: PurchaseKey?
    package internal(set) var statements: [Statement] = []
    /// The user ids in the event as they were written, the most trusted first.
    package internal(set) var users: [String] = []
    /// The id of the Stripe customer.
    package internal(set) var customer: String?
    package internal(set) var numbers: [PurchaseNumber] = []
    /// The takeback by a refund or dispute. It concerns a purchase that is known or becomes known later.
    package internal(set) var takeback: Takeback?
    package internal(set) var remark: Remark?

    init(in environment: StoreEnvironment) { self.environment = environment }
}
