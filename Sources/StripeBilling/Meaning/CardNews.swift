package import Entitlements

/// An event in our words: statements, the users that it names, and which numbers lead to which purchase.
package struct CardNews: Sendable {
    /// A remark for operators, though it changes nobody's access.
    package enum Remark: Hashable, Sendable {
        /// Money that was to go back did not.
        case refundFailed
        case disputed
        /// The payment is not made yet; the purchase counts when it is paid.
        case unpaid
        /// The event's type concerns nobody's access.
        case unconcerned
        case unknownType
        case thin
        case unreadable
    }

    package let environment: StoreEnvironment
    /// The purchase that it names; of a payment that is named by a number only the number says which.
    package internal(set) var about: PurchaseKey?
    package internal(set) var statements: [Statement] = []
    /// The users that the event names, in the order of trust, as they were written.
    package internal(set) var users: [String] = []
    /// The card account's customer.
    package internal(set) var customer: String?
    package internal(set) var numbers: [PurchaseNumber] = []
    /// The takeback of a purchase that is known by then.
    package internal(set) var takeback: Takeback?
    package internal(set) var remark: Remark?

    init(in environment: StoreEnvironment) { self.environment = environment }
}
