/// The unpaid periods of a chain, and the periods that one payment is for (`semantics.md` §7, "Cards").
///
/// Periods of one item that begin together are one cycle: a change of the price within a cycle is no new payment. A
/// cycle is unpaid if its newest event says that money is missing, no paid bill for the cycle is known, and the missing
/// money is or may be the cycle's own. The money is the cycle's own where a bill for the cycle failed; it may be where
/// nothing is known of the bill that an event names. All of this is a function of the set of states alone.
struct PeriodBills {
    /// The periods that one payment is for.
    private struct Cycle: Hashable {
        let item: String
        let startsAt: Instant

        init?(_ state: VerifiedPurchase) {
            guard let item = state.item else { return nil }
            self.item = item
            startsAt = state.purchasedAt
        }
    }

    private let bills: [VerifiedPurchase]
    /// The numbers of the bills.
    private let known: Set<String>
    /// The states of a cycle's periods.
    private let states: [Cycle: [VerifiedPurchase]]
    /// The instant until which an unpaid cycle goes on all the same.
    private var graceEnds: [Cycle: Instant] = [:]

    /// - Parameter states: All of the chain.
    init(_ states: [VerifiedPurchase]) {
        bills = states.filter(\.isOfBill)
        known = Set(bills.compactMap(\.bill?.id))
        var cycles: [Cycle: [VerifiedPurchase]] = [:]
        for state in states where !state.isOfBill {
            if let cycle = Cycle(state) { cycles[cycle, default: []].append(state) }
        }
        self.states = cycles
        let all = Set(cycles.keys).union(bills.compactMap(Cycle.init)).sorted { $0.startsAt < $1.startsAt }
        let ends = all.reduce(into: [:]) { ends, cycle in ends[cycle] = missingUntil(cycle) }
        for cycles in Dictionary(grouping: all, by: \.item).values {
            for run in cycles.split(whereSeparator: { ends[$0] == nil }) {
                let end = run.compactMap { ends[$0] }.min()
                for cycle in run { graceEnds[cycle] = end }
            }
        }
    }

    /// Until when the period of these states goes on without the money that is missing for it; nil for one that is
    /// paid. Cycles of an item that follow upon each other unpaid all end with the first.
    func graceEnd(of states: [VerifiedPurchase]) -> Instant? {
        states.first.flatMap(Cycle.init).flatMap { graceEnds[$0] }
    }

    /// The share of a period that went back: what went back of its own payments and, if no payment of its own is known,
    /// of the payments of any period of its cycle.
    func share(of states: [VerifiedPurchase], until end: Instant?) -> ShareTrack {
        guard let first = states.first, let cycle = Cycle(first), let all = self.states[cycle] else {
            return ShareTrack(of: states, measuring: .whole)
        }
        let isBilled = bills.contains { bill in
            bill.bill?.isPaid == true && bill.productID == first.productID && bill.purchasedAt >= cycle.startsAt
                && bill.purchasedAt < end ?? .distantFuture
        }
        let payers = Dictionary(grouping: isBilled ? states : all, by: \.productID)
        return .largest(of: payers.map { product, states in share(of: states, paying: product, in: cycle) })
    }

    private func share(of states: [VerifiedPurchase], paying product: ProductID, in cycle: Cycle) -> ShareTrack {
        let share = ShareTrack(of: states, measuring: .whole)
        let own = bills.lazy.filter { $0.productID == product && Cycle($0) == cycle }
        guard !share.steps.isEmpty, let total = own.compactMap({ $0.bill?.amountPaid }).max() else { return share }
        return .together(states, of: total)
    }

    /// Until when an unpaid cycle would go on by itself; nil for one that is paid.
    private func missingUntil(_ cycle: Cycle) -> Instant? {
        let told = (states[cycle] ?? []).filter(\.statesPeriod).sorted { $0.statedAt < $1.statedAt }
        let missing = told.reversed().prefix { $0.bill?.isPaid == false }.compactMap(\.bill)
        let own = bills.filter { Cycle($0) == cycle }.compactMap(\.bill)
        guard !missing.isEmpty, !own.contains(where: \.isPaid),
            !own.isEmpty || missing.contains(where: { $0.id.map { !known.contains($0) } ?? true })
        else { return nil }
        return missing.compactMap(\.graceEndsAt).min() ?? cycle.startsAt
    }
}
