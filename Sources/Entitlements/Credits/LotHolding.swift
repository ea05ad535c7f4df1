/// A user's holding of a lot (`semantics.md` §4, §5).
///
/// A handover of `n` units takes the first `n` units of every refund along. Of a refund of `R` units of the whole lot
/// the receiver gives up the units below `n`. The giver, who keeps the drawn units, gives up the units from `n` on. So
/// the present owner's units are taken before those of earlier ones, the newest before the oldest. All sides together
/// give up exactly `R`, each computes its part from its own ledger, and a reversal gives back where it was taken.
package struct LotHolding: Hashable, Sendable {
    /// Units held in a stretch of time.
    package struct Stake: Hashable, Sendable {
        /// Which of the lot's units: a refund of `R` units of the whole lot takes those below `R`.
        package let units: Range<Int>
        package let startsAt: Instant
        /// Exclusive; nil while it lasts.
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

    /// The holding that the `tenures` of the user make of a lot; a lot that had expired when it was credited never
    /// counts.
    init(_ lot: CreditLot, of key: PurchaseKey, in tenures: [Tenure]) {
        let wasAlive = lot.expiresAt.map { lot.creditedAt < $0 } ?? true
        self.init(lot, of: key, stakes: wasAlive ? tenures.flatMap { Self.stakes(in: $0, of: lot) } : [])
    }

    /// The empty holding of a purchase that gives nothing, though units were drawn from it when it did.
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

    /// The units held at `instant`, drawn and refunded ones included.
    func amount(at instant: Instant) -> Int {
        stakes.reduce(0) { $0 + ($1.holds(at: instant) ? $1.units.count : 0) }
    }

    /// This user's part of the refunded total at `instant`.
    func refundDue(at instant: Instant) -> Int {
        let refunded = 0..<lot.refunded(at: instant)
        return stakes.reduce(0) { $0 + ($1.holds(at: instant) ? $1.units.clamped(to: refunded).count : 0) }
    }

    /// When it was first held.
    var beginsAt: Instant { stakes.map(\.startsAt).min() ?? .distantFuture }

    /// When `amount` or `refundDue` may change.
    var instants: [Instant] {
        stakes.flatMap { [$0.startsAt, $0.endsAt].compactMap { $0 } } + lot.share.steps.map(\.startsAt)
    }

    /// The order in which lots are drawn: what expires soonest, then the oldest, then by id.
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
