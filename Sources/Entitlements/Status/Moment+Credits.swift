extension Moment {
    /// `balance = credited − refunded`, by unit and environment (`semantics.md` §4).
    var credits: [CreditBalance] {
        var balances: [Purse: Int] = [:]
        for purchase in timeline.purchases {
            guard case .credits(let lot) = purchase.worth, timeline.counts(lot.environment), lot.creditedAt <= at
            else { continue }
            balances[Purse(unit: lot.unit, environment: lot.environment), default: 0] +=
                lot.credited - lot.refunded(at: at)
        }
        return balances.sorted { $0.key < $1.key }.map { purse, balance in
            CreditBalance(
                unit: purse.unit, environment: purse.environment, spendable: max(0, balance), debt: max(0, -balance),
                reserved: 0)
        }
    }

    /// What has a balance of its own.
    private struct Purse: Hashable, Comparable {
        let unit: String
        let environment: StoreEnvironment

        static func < (left: Purse, right: Purse) -> Bool {
            left.unit != right.unit ? left.unit < right.unit : left.environment.rawValue < right.environment.rawValue
        }
    }
}
