/// The bills of a chain: which of its cycles are unpaid, and which periods a refunded payment takes (`semantics.md` §7,
/// "Cards").
///
/// All periods of one item with the same start are one cycle, because a change of the price within a cycle needs no new
/// payment. A cycle is unpaid if all of this holds:
///
/// - Its newest event says that money is missing.
/// - No paid bill for the cycle is known.
/// - The missing money is for the cycle, or may be. It is if a bill for the cycle failed. It may be if nothing is known
///   of the bill that an event names.
///
/// The result depends on the set of states alone, not on their order.
struct PeriodBills {
    /// The periods of one item with one start; one payment pays for all of them.
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
    /// The ids of all bills whose payment or failure is known.
    private let known: Set<String>
    /// The states of the periods of each cycle.
    private let states: [Cycle: [VerifiedPurchase]]
    /// The end of grace of each unpaid cycle.
    private var graceEnds: [Cycle: Instant] = [:]

    /// - Parameter states: All states of the chain.
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

    /// Returns the end of grace of the period with these states; nil if the period is paid. Consecutive unpaid cycles
    /// of one item share the end of grace that comes first.
    func graceEnd(of states: [VerifiedPurchase]) -> Instant? {
        states.first.flatMap(Cycle.init).flatMap { graceEnds[$0] }
    }

    /// Returns the refunded share of the period with these states, which ends at `end`. It is the share of the payments
    /// for the period itself. If no paid bill charges for the period itself, it is the share of the payments for all
    /// periods of its cycle.
    func share(of states: [VerifiedPurchase], until end: Instant) -> ShareTrack {
        guard let first = states.first, let cycle = Cycle(first), let all = self.states[cycle] else {
            return ShareTrack(of: states, measuring: .whole)
        }
        let isBilled = bills.contains { bill in
            bill.bill?.isPaid == true && bill.productID == first.productID && bill.purchasedAt >= cycle.startsAt
                && bill.purchasedAt < end
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

    /// Returns the end of grace of a cycle without regard to the cycles before it; nil if the cycle is paid.
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
