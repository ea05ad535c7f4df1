/// The part of a lot that one user holds (`semantics.md` §4, §5).
///
/// The units of a lot are numbered from 0. If `n` units move to another user, the receiver gets the numbers below `n`.
/// The giver keeps the other numbers. Their units were drawn, expired or in repayment, so they did not move.
///
/// A refund of `R` units takes the numbers below `R`, so from the present owner first and from the earliest owner last.
/// Each user's part of it follows from their own ledger, and all parts add up to exactly `R`. A reversal gives each
/// user back exactly their part.
package struct LotHolding: Hashable, Sendable {
    /// The units of a lot that a user holds in a stretch of time.
    package struct Stake: Hashable, Sendable {
        /// The numbers of the units; a refund of `R` units of the whole lot takes those below `R`.
        package let units: Range<Int>
        package let startsAt: Instant
        /// The end, exclusive; nil while the user holds the units.
        package let endsAt: Instant?

        package init(_ units: Range<Int>, startsAt: Instant, endsAt: Instant? = nil) {
            self.units = units
            self.startsAt = startsAt
            self.endsAt = endsAt
        }

        fileprivate func holds(at instant: Instant) -> Bool {
            startsAt <= instant && (endsAt.map { instant < $0 } ?? true)
        }
    }

    package let key: PurchaseKey
    package let lot: CreditLot
    package let stakes: [Stake]

    package init(_ lot: CreditLot, of key: PurchaseKey, stakes: [Stake]) {
        self.key = key
        self.lot = lot
        self.stakes = stakes
    }

    /// Makes the holding of a lot from the user's tenures. It is empty if the lot had expired when it was credited.
    init(_ lot: CreditLot, of key: PurchaseKey, in tenures: [Tenure]) {
        let wasAlive = lot.expiresAt.map { lot.creditedAt < $0 } ?? true
        self.init(lot, of: key, stakes: wasAlive ? tenures.flatMap { Self.stakes(in: $0, of: lot) } : [])
    }

    /// Returns an empty holding, for a purchase that no longer gives credits although units were drawn from it earlier.
    static func nothing(of key: PurchaseKey, in purse: Purse) -> LotHolding {
        let lot = CreditLot(
            unit: purse.unit, environment: purse.environment, credited: 0, creditedAt: .distantPast, share: .untouched)
        return LotHolding(lot, of: key, stakes: [])
    }

    private static func stakes(in tenure: Tenure, of lot: CreditLot) -> [Stake] {
        let startsAt = max(tenure.startsAt ?? lot.creditedAt, lot.creditedAt)
        let amount = tenure.arrival?.units(ofAtMost: lot.credited) ?? lot.credited
        guard let endsAt = tenure.endsAt, let departure = tenure.departure else {
            return [Stake(0..<amount, startsAt: startsAt)]
        }
        return [
            Stake(0..<amount, startsAt: startsAt, endsAt: endsAt),
            Stake(departure.units(ofAtMost: amount)..<amount, startsAt: max(endsAt, lot.creditedAt)),
        ]
    }

    /// Returns the units that the user holds at `instant`. Drawn and refunded units are among them.
    func amount(at instant: Instant) -> Int {
        stakes.reduce(0) { $0 + ($1.holds(at: instant) ? $1.units.count : 0) }
    }

    /// Returns the units that a refund should take from this user by `instant`.
    func refundDue(at instant: Instant) -> Int {
        let refunded = 0..<lot.refunded(at: instant)
        return stakes.reduce(0) { $0 + ($1.holds(at: instant) ? $1.units.clamped(to: refunded).count : 0) }
    }

    /// The instant from which the user first holds any units.
    var beginsAt: Instant { stakes.map(\.startsAt).min() ?? .distantFuture }

    /// The instants at which `amount` or `refundDue` may change.
    var instants: [Instant] {
        stakes.flatMap { [$0.startsAt, $0.endsAt].compactMap { $0 } } + lot.share.steps.map(\.startsAt)
    }

    /// The order in which lots are drawn: the earliest expiry, then the oldest, then the smallest id.
    static func precedes(_ left: LotHolding, _ right: LotHolding) -> Bool {
        let (first, second) = (left.lot.expiresAt ?? .distantFuture, right.lot.expiresAt ?? .distantFuture)
        if first != second { return first < second }
        if left.lot.creditedAt != right.lot.creditedAt { return left.lot.creditedAt < right.lot.creditedAt }
        return left.key.comesFirst(inTieWith: right.key)
    }
}

extension Handover {
    fileprivate func units(ofAtMost limit: Int) -> Int { max(0, min(units, limit)) }
}
