/// A pass as the clock of its lane sees it: a purchase of fixed length whose end the store does not give
/// (`semantics.md` §2).
package struct Pass: Hashable, Sendable {
    package let key: PurchaseKey
    /// The instant before which the pass does not run.
    package let anchor: Instant
    /// The time that the pass runs when nothing is refunded, in milliseconds; 0 or more.
    package let length: Int64
    package let rank: Int
    package let share: ShareTrack
    /// The time that the pass had run with earlier owners, in milliseconds. It is a part of `length`.
    package let ranBefore: Int64
    /// The departure of a pass that went to another user; nil while the user has it.
    package let departure: Departure?

    /// The end of a pass in the giver's lane, when the rest of it goes to another user (`semantics.md` §5).
    package struct Departure: Hashable, Sendable {
        /// The end, exclusive.
        package let at: Instant
        /// The time that the pass had run with all owners until `at`, in milliseconds. The pass never runs longer in
        /// the giver's lane, whatever is learned later, because the rest of it runs in the receiver's lane.
        package let ran: Int64

        package init(at instant: Instant, ran: Int64) {
            at = instant
            self.ran = ran
        }
    }

    package init(
        key: PurchaseKey, anchor: Instant, length: Int64, rank: Int, share: ShareTrack = .untouched,
        ranBefore: Int64 = 0, departure: Departure? = nil
    ) {
        self.key = key
        self.anchor = anchor
        self.length = length
        self.rank = rank
        self.share = share
        self.ranBefore = ranBefore
        self.departure = departure
    }

    /// Returns `days × quantity` in milliseconds, limited to 0…`maximumLength`.
    package static func length(days: Int, quantity: Int) -> Int64 {
        length(of: Instant.millisecondsPerDay, times: days, quantity)
    }

    /// Returns `minutes × quantity` in milliseconds, limited to 0…`maximumLength`.
    package static func length(minutes: Int, quantity: Int) -> Int64 { length(of: 60_000, times: minutes, quantity) }

    private static func length(of unit: Int64, times count: Int, _ quantity: Int) -> Int64 {
        guard count > 0, quantity > 0 else { return 0 }
        let (units, overflow) = count.multipliedReportingOverflow(by: quantity)
        guard !overflow, units <= maximumLength / unit else { return maximumLength }
        return Int64(units) * unit
    }

    /// Returns the length that is still paid for, `length × (100000 − share) ÷ 100000`, computed without overflow.
    package static func paidLength(of length: Int64, refunded share: Int) -> Int64 {
        let (whole, rest) = length.quotientAndRemainder(dividingBy: full)
        let paid = full - Int64(share)
        return whole * paid + rest * paid / full
    }

    /// Ten thousand years: longer than anything that RFC 3339 can write, and small enough to add to any instant.
    package static let maximumLength = 3_652_500 * Instant.millisecondsPerDay

    /// The order in which passes run when several may: the highest rank, then the earliest anchor, then the smallest
    /// id.
    static func precedes(_ left: Pass, _ right: Pass) -> Bool {
        if left.rank != right.rank { return left.rank > right.rank }
        if left.anchor != right.anchor { return left.anchor < right.anchor }
        return left.key.comesFirst(inTieWith: right.key)
    }

    private static let full = Int64(Revocation.fullShare)
}
