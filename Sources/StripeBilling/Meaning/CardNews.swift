package import Entitlements

/// What an event says, in our words: statements, who is named, and which names mean which purchase.
package struct CardNews: Sendable {
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
    package internal(set) var numbers: [PurchaseNumber] = []
    /// What it takes back of a purchase that is known by then.
    package internal(set) var takeback: Takeback?
    package internal(set) var remark: Remark?

    init(in environment: StoreEnvironment) { self.environment = environment }
}
