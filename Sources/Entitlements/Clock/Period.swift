/// A period of a chain, from all the transactions that show it (`semantics.md` §5).
struct Period {
    let id: PeriodID
    let states: [VerifiedPurchase]
    let spokesman: VerifiedPurchase
    /// The newest state of the period.
    private let newest: VerifiedPurchase
    let startsAt: Instant
    /// The end by the newest state that says one; nil when none does, and then there is no window.
    let expiresAt: Instant?
    /// The share that is refunded or, with the whole chain, withdrawn.
    let share: ShareTrack
    /// When a state first said that another period took this one's place.
    let upgradedSaidAt: Instant?
    /// The offer by which the period was sold, by its newest state.
    let offer: String?
    /// True if an offer sold the period for nothing; nil where an offer sold it and no state says the price.
    let isTrial: Bool?
    /// The quantity in the newest state.
    let quantity: Int
    /// Until when an unpaid period goes on; nil for a paid one.
    let unpaidGraceEnd: Instant?
    /// When the store suspends it.
    private(set) var suspensions: [Suspension]
    /// The stretches in which the period runs, as the source's events list them; nil for a source without events.
    private(set) var listed: [Interval]?

    /// The periods of a chain, by their start. Where several start together, replaced periods come first, the earlier
    /// replaced before the later.
    static func all(in states: [VerifiedPurchase], withdrawal: ShareTrack) -> [Period] {
        let bills = PeriodBills(states)
        let periods = Dictionary(grouping: states.lazy.filter { !$0.isOfBill }, by: PeriodID.init(of:))
            .compactMap { Period($0.value, named: $0.key, bills, withdrawal: withdrawal) }
        let listings = PeriodListings(of: periods)
        let pauses = listings.pauses
        return
            periods.map { period in
                var period = period
                period.listed = listings.parts(of: period)
                if period.listed != nil { period.suspensions = pauses }
                return period
            }
            .sorted { left, right in
                if left.startsAt != right.startsAt { return left.startsAt < right.startsAt }
                if left.isReplaced != right.isReplaced { return left.isReplaced }
                if left.isReplaced, let older = Self.olderFirst(left.newest, right.newest) { return older }
                let (first, second) = (left.expiresAt ?? .distantPast, right.expiresAt ?? .distantPast)
                return first != second ? first < second : left.id < right.id
            }
    }

    /// Nil for what no event lists of a source that tells by events.
    private init?(
        _ states: [VerifiedPurchase], named id: PeriodID, _ bills: PeriodBills, withdrawal: ShareTrack
    ) {
        // A copy that only tells of a refund says no end, and nothing else of the period.
        let whole = states.filter(\.statesPeriod)
        guard let spokesman = PurchaseMeaning.spokesman(of: states),
            let startsAt = states.lazy.map(\.purchasedAt).min(),
            !whole.isEmpty || spokesman.eventID == nil
        else { return nil }
        self.id = id
        self.states = states
        self.spokesman = spokesman
        newest = whole.max { $0.statedAt < $1.statedAt } ?? spokesman
        self.startsAt = startsAt
        expiresAt =
            whole.max { left, right in
                Self.olderFirst(left, right) ?? (left.expiresAt ?? .distantPast < right.expiresAt ?? .distantPast)
            }?.expiresAt
        share = .largest(of: [bills.share(of: states, until: expiresAt), withdrawal])
        upgradedSaidAt = states.lazy.filter(\.isUpgraded).map(\.signedAt).min()
        suspensions = [whole.max(by: Self.suspendsBefore)?.suspension].compactMap { $0 }
        quantity = whole.max { Self.olderFirst($0, $1) ?? ($0.quantity < $1.quantity) }?.quantity ?? 1
        unpaidGraceEnd = bills.graceEnd(of: states)
        let sale = whole.max(by: Self.sellsBefore)
        offer = sale?.offer
        isTrial = sale?.offer == nil ? false : sale?.price.map { $0.milliunits == 0 }
    }

    /// The item of the subscription that the period is of; nil where the purchase has no items.
    var item: String? { spokesman.item }

    /// True if the period runs by the source's newest event.
    var isListed: Bool { listed.map { $0.last.map { $0.endsAt == nil } ?? false } ?? true }

    /// True if the period was over before its end, because an event left it out.
    var isReplaced: Bool {
        guard let end = listed?.last?.endsAt else { return false }
        return end < expiresAt ?? startsAt
    }

    /// The order by time, then by event; ties: sold by an offer last, then by its bytes, then the lower price, none
    /// being the highest.
    private static func sellsBefore(_ left: VerifiedPurchase, _ right: VerifiedPurchase) -> Bool {
        if let order = olderFirst(left, right) { return order }
        if left.offer != right.offer {
            guard let first = left.offer, let second = right.offer else { return left.offer == nil }
            return first.utf8.lexicographicallyPrecedes(second.utf8)
        }
        return left.price?.milliunits ?? .max > right.price?.milliunits ?? .max
    }

    /// The order by time, then by event; ties: suspended last, then the earlier start, then the later end.
    private static func suspendsBefore(_ left: VerifiedPurchase, _ right: VerifiedPurchase) -> Bool {
        if let order = olderFirst(left, right) { return order }
        guard let first = left.suspension, let second = right.suspension else {
            return left.suspension == nil && right.suspension != nil
        }
        if first.startsAt != second.startsAt { return first.startsAt > second.startsAt }
        return first.endsAt?.milliseconds ?? .max < second.endsAt?.milliseconds ?? .max
    }

    /// Nil where neither was stated before the other.
    private static func olderFirst(_ left: VerifiedPurchase, _ right: VerifiedPurchase) -> Bool? {
        let (first, second) = (left.statedAt, right.statedAt)
        return first < second ? true : second < first ? false : nil
    }

    /// The newest state of the chain's renewal that is about this period, were it the last: signed since the period was
    /// first stated, or began. An older state told of an earlier period's renewal, which has come.
    func renewal(among renewals: [VerifiedRenewal]) -> VerifiedRenewal? {
        let since = states.lazy.map(\.signedAt).reduce(startsAt, min)
        return renewals.lazy.filter { $0.signedAt >= since }.max(by: VerifiedRenewal.precedes)
    }
}

/// A period's name: the store's own, else its transaction id.
struct PeriodID: Identifier {
    let text: String
    init(_ text: String) { self.text = text }

    init(of state: VerifiedPurchase) { text = state.periodID ?? state.transactionID.text }
}
