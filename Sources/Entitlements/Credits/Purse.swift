/// A unit in one environment, which has a balance of its own.
package struct Purse: Hashable, Comparable, Sendable {
    package let unit: String
    package let environment: StoreEnvironment

    package init(unit: String, environment: StoreEnvironment) {
        self.unit = unit
        self.environment = environment
    }

    package static func < (left: Purse, right: Purse) -> Bool {
        left.unit != right.unit ? left.unit < right.unit : left.environment.rawValue < right.environment.rawValue
    }
}
