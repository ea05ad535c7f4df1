/// What one user holds of a lot (`semantics.md` §4, §5).
///
/// A handover of `n` units takes the first `n` units of every refund along: of a refund of `R` units of the whole lot
/// the receiver gives up those below `n`, the giver, who keeps what was drawn, those from `n` on. So the present owner's units
/// are taken before those of earlier ones, the newest before the oldest; all sides together give up exactly `R`,
/// each computes its part from its own ledger, and a reversal gives back where it was taken. Only the same Apple
/// account's reclaim takes all of the giver's part along, and with it what is owed; and what an erased person owes follows
/// their Apple account by itself (`Debt`).
package struct LotHolding: Hashable, Sendable {
    /// Units held in a stretch of time.
    package struct Stake: Hashable, Sendable {
        package let amount: Int
        /// Which of the units of a refund of the whole lot are given up here.
        package let refunds: Range<Int>
        package let startsAt: Instant
        /// Exclusive; nil while it lasts.
        package let endsAt: Instant?

        package init(amount: Int, refunds: Range<Int>, startsAt: Instant, endsAt: Instant? = nil) {
            self.amount = amount
            self.refunds = refunds
            self.startsAt = startsAt
            self.endsAt = endsAt
        }

        fileprivate func holds(at instant: Instant) -> Bool {
            startsAt <= instant && (endsAt.map { instant < $0 } ?? true)
        }
    }

    /// Units of refunds that are given up here, or elsewhere, since an erased person's debt followed their Apple account.
    package struct Shift: Hashable, Sendable {
        /// Which way they went.
        enum Course: Hashable {
            case came
            /// From whom they were this person's.
            case left
            /// Before the lot came: they are no part of what came.
            case leftBefore
        }

        let refunds: Range<Int>
        let at: Instant
        private(set) var course: Course

        init(_ debt: Debt, at: Instant, _ course: Course) {
            refunds = debt.refunds
            self.at = at
            self.course = course
        }

        /// The same as whoever gets the lot now sees it.
        var beforeArrival: Shift {
            var shift = self
            if course == .left { shift.course = .leftBefore }
            return shift
        }
    }

    package let key: PurchaseKey
    package let lot: CreditLot
    package let stakes: [Stake]
    package let shifts: [Shift]

    package init(_ lot: CreditLot, of key: PurchaseKey, stakes: [Stake], shifts: [Shift] = []) {
        self.key = key
        self.lot = lot
        self.stakes = stakes
        self.shifts = shifts
    }

    /// What the `tenures` of the user make of it; a lot that had expired when it was credited never counts.
    init(_ lot: CreditLot, of key: PurchaseKey, in tenures: [Tenure], shifts: [Shift]) {
        let wasAlive = lot.expiresAt.map { lot.creditedAt < $0 } ?? true
        self.init(
            lot, of: key, stakes: wasAlive ? tenures.flatMap { Self.stakes(in: $0, of: lot) } : [], shifts: shifts)
    }

    /// Of purchases that never were the user's: what is owed of them.
    static func owed(of gathered: [Purchase.Gathered], given catalogue: CatalogueVersions) -> [LotHolding] {
        gathered.compactMap { gathered in
            guard gathered.boundAt == nil, !gathered.debts.isEmpty,
                case .credits(let lot)? = Reading(gathered, given: catalogue)?.worth
            else { return nil }
            return LotHolding(lot, of: gathered.key, stakes: [], shifts: gathered.debts)
        }
    }

    /// Of a purchase that gives nothing, though units were drawn from it when it did.
    static func nothing(of key: PurchaseKey, in purse: Purse) -> LotHolding {
        let lot = CreditLot(
            unit: purse.unit, environment: purse.environment, credited: 0, creditedAt: .distantPast, share: .untouched)
        return LotHolding(lot, of: key, stakes: [])
    }

    private static func stakes(in tenure: Tenure, of lot: CreditLot) -> [Stake] {
        let startsAt = max(tenure.startsAt ?? lot.creditedAt, lot.creditedAt)
        let amount = tenure.arrival?.units(ofAtMost: lot.credited) ?? lot.credited
        let refunds = 0..<(tenure.arrival?.refunds(ofAtMost: lot.credited, with: amount) ?? lot.credited)
        guard let endsAt = tenure.endsAt, let departure = tenure.departure else {
            return [Stake(amount: amount, refunds: refunds, startsAt: startsAt)]
        }
        let moved = departure.units(ofAtMost: amount)
        let rest = (departure.isReclaim ? refunds.upperBound : moved)..<refunds.upperBound
        return [
            Stake(amount: amount, refunds: refunds, startsAt: startsAt, endsAt: endsAt),
            Stake(amount: amount - moved, refunds: rest, startsAt: max(endsAt, lot.creditedAt)),
        ]
    }

    /// The units held at `instant`, drawn and refunded ones included.
    func amount(at instant: Instant) -> Int {
        stakes.reduce(0) { $0 + ($1.holds(at: instant) ? $1.amount : 0) }
    }

    /// This side's part of the refunded total at `instant`.
    func refundDue(at instant: Instant) -> Int {
        guard shifts.contains(where: { $0.at <= instant }) else {
            let refunded = 0..<lot.refunded(at: instant)
            return stakes.reduce(0) { $0 + ($1.holds(at: instant) ? $1.refunds.clamped(to: refunded).count : 0) }
        }
        return refunds(at: instant).reduce(0) { $0 + $1.count }
    }

    /// The last `units` of those refunded by `instant` that are given up here, the last first.
    func lastRefunds(_ units: Int, at instant: Instant) -> [Range<Int>] {
        var (rest, last): (Int, [Range<Int>]) = (units, [])
        for range in refunds(at: instant) where rest > 0 {
            let taken = max(range.lowerBound, range.upperBound - rest)..<range.upperBound
            rest -= taken.count
            last.append(taken)
        }
        return last
    }

    /// The units refunded by `instant` that are given up here, the last first: those of what is or was held here that had not
    /// left before, and those that came; less those that left from here.
    private func refunds(at instant: Instant) -> [Range<Int>] {
        let shifts = shifts.filter { $0.at <= instant }
        let held = stakes.filter { $0.holds(at: instant) }.map(\.refunds)
        let moved = { (course: Shift.Course) in shifts.filter { $0.course == course }.map(\.refunds) }
        let (came, left, leftBefore) = (moved(.came), moved(.left), moved(.leftBefore))
        let refunded = lot.refunded(at: instant)
        let ends = (held + came + left + leftBefore).flatMap { [$0.lowerBound, $0.upperBound] }
        let bounds = Set(ends.map { min($0, refunded) }).sorted(by: >)
        return zip(bounds.dropFirst(), bounds).compactMap { start, end in
            let has = { (ranges: [Range<Int>]) in ranges.contains { $0.contains(start) } }
            return (has(held) && !has(leftBefore) || has(came)) && !has(left) ? start..<end : nil
        }
    }

    /// When it first concerned the user.
    var beginsAt: Instant { (stakes.map(\.startsAt) + shifts.map(\.at)).min() ?? .distantFuture }

    /// When `amount` or `refundDue` may change.
    var instants: [Instant] {
        stakes.flatMap { [$0.startsAt, $0.endsAt].compactMap { $0 } } + shifts.map(\.at)
            + lot.share.steps.map(\.startsAt)
    }

    /// The order in which lots are drawn: what expires soonest, then the oldest, then by id.
    static func precedes(_ left: LotHolding, _ right: LotHolding) -> Bool {
        let (first, second) = (left.lot.expiresAt ?? .distantFuture, right.lot.expiresAt ?? .distantFuture)
        if first != second { return first < second }
        if left.lot.creditedAt != right.lot.creditedAt { return left.lot.creditedAt < right.lot.creditedAt }
        return left.key.precedes(right.key)
    }
}

extension Handover {
    fileprivate var isReclaim: Bool {
        switch cause {
        case .reclaim: true
        case .policy, .operator, .merge: false
        }
    }

    /// How many units of a refund of the whole lot, of `limit` units, are given up by whoever has `amount` of it.
    fileprivate func refunds(ofAtMost limit: Int, with amount: Int) -> Int {
        isReclaim ? max(0, min(refunds ?? limit, limit)) : amount
    }

    fileprivate func units(ofAtMost limit: Int) -> Int { max(0, min(units, limit)) }
}
