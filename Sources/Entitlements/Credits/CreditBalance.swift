/// The balance of one unit in one environment (`semantics.md` §4).
///
/// `spendable − debt = credited − refunded − expired − spent − reserved`, and one of the two is 0.
package struct CreditBalance: Hashable, Sendable {
    package let unit: String
    package let environment: StoreEnvironment
    package internal(set) var spendable = 0
    package internal(set) var debt = 0
    package internal(set) var reserved = 0
    package internal(set) var credited = 0
    /// Units that refunds took, or left as debt.
    package internal(set) var refunded = 0
    package internal(set) var expired = 0
    package internal(set) var spent = 0
    /// Units that refunds could not take and nobody owes (`on_shortfall: write_off`).
    package internal(set) var writtenOff = 0

    init(unit: String, environment: StoreEnvironment) {
        self.unit = unit
        self.environment = environment
    }
}
