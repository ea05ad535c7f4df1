/// The balance of one purse: a unit in one environment (`semantics.md` §4).
///
/// Always `spendable − debt = credited − refunded − expired − spent − reserved`, and `spendable` or `debt` is 0.
package struct CreditBalance: Hashable, Sendable {
    package let unit: String
    package let environment: StoreEnvironment
    package internal(set) var spendable = 0
    package internal(set) var debt = 0
    package internal(set) var reserved = 0
    package internal(set) var credited = 0
    /// The units that refunds took, with those that are owed because they were spent already.
    package internal(set) var refunded = 0
    package internal(set) var expired = 0
    package internal(set) var spent = 0
    /// The units that refunds could not take and that nobody owes, because the product says `on_shortfall: write_off`.
    package internal(set) var writtenOff = 0

    init(unit: String, environment: StoreEnvironment) {
        self.unit = unit
        self.environment = environment
    }
}
