/// A period of a chain, made of the states of all transactions that show it (`semantics.md` §5).
struct Period {
    let id: PeriodID
    let states: [VerifiedPurchase]
    let spokesman: VerifiedPurchase
    /// The newest state of the period.
    private let newest: VerifiedPurchase
    let startsAt: Instant
    /// The expiry that the newest state with an expiry names; nil if no state names one. A period without it covers
    /// nothing.
    let expiresAt: Instant?
    /// The refunded share. A withdrawal of the whole chain is part of it.
    let share: ShareTrack
    /// The earliest signing date of a state that says that the period was upgraded.
    let upgradedSaidAt: Instant?
    /// The offer by which the period was sold, as its newest state says.
    let offer: String?
    /// True if an offer sold the period for a price of 0. Nil if an offer sold it and the newest state names no price.
    let isTrial: Bool?
    /// The quantity in the newest state.
    let quantity: Int
    /// The end of the grace of an unpaid period; nil for a paid one.
    let unpaidGraceEnd: Instant?
    /// The stretches of time in which the store suspends the period.
    private(set) var suspensions: [Suspension]
    /// The stretches in which the period runs according to the source's events; nil for a source without events.
    private(set) var listed: [Interval]?
    /// The start of the next period, where one period of the chain runs at a time; nil for the last period, and for a
    /// source with events.
    private(set) var followedAt: Instant?

    /// Returns the periods of a chain, by start. Of periods with one start, the one that was first stated later comes
    /// last. A source with events says which were replaced; these come first, in the order in which they were replaced.
    ///
    /// A period without events that ends before it starts, as a restored copy of an old one does, is left out if there
    /// is any other.
    static func all(in states: [VerifiedPurchase], withdrawal: ShareTrack) -> [Period] {
        let bills = PeriodBills(states)
        let periods = Dictionary(grouping: states.lazy.filter { !$0.isOfBill }, by: PeriodID.init(of:))
            .compactMap { Period($0.value, named: $0.key, bills, withdrawal: withdrawal) }
        let listings = PeriodListings(of: periods)
        let pauses = listings.pauses
        var sorted =
            periods.map { period in
                var period = period
                period.listed = listings.parts(of: period)
                if period.listed != nil { period.suspensions = pauses }
                return period
            }
            .sorted { left, right in
                if left.startsAt != right.startsAt { return left.startsAt < right.startsAt }
                guard left.listed != nil else { return (left.statedAt, left.id) < (right.statedAt, right.id) }
                if left.isReplaced != right.isReplaced { return left.isReplaced }
                if left.isReplaced, let older = Self.olderFirst(left.newest, right.newest) { return older }
                let (first, second) = (left.expiresAt ?? .distantPast, right.expiresAt ?? .distantPast)
                return first != second ? first < second : left.id < right.id
            }
        if sorted.contains(where: \.runs) { sorted.removeAll { !$0.runs } }
        for index in sorted.indices.dropLast() where sorted[index].listed == nil {
            sorted[index].followedAt = sorted[index + 1].startsAt
        }
        return sorted
    }

    /// Returns nil if the source sends events (as card billing does) and none of them says that the period runs.
    private init?(
        _ states: [VerifiedPurchase], named id: PeriodID, _ bills: PeriodBills, withdrawal: ShareTrack
    ) {
        // The statement of a refund (`Takeback`) names no expiry and says nothing else about the period.
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
        share = .largest(of: [bills.share(of: states, until: expiresAt ?? startsAt), withdrawal])
        upgradedSaidAt = states.lazy.filter(\.isUpgraded).map(\.signedAt).min()
        suspensions = [whole.max(by: Self.suspendsBefore)?.suspension].compactMap { $0 }
        quantity = whole.max { Self.olderFirst($0, $1) ?? ($0.quantity < $1.quantity) }?.quantity ?? 1
        unpaidGraceEnd = bills.graceEnd(of: states)
        let sale = whole.max(by: Self.sellsBefore)
        offer = sale?.offer
        isTrial = sale?.offer == nil ? false : sale?.price.map { $0.milliunits == 0 }
    }

    /// True if the period began after an operator's withdrawal at `instant`, and its price was neither left out nor
    /// paid back.
    func isPaid(after instant: Instant) -> Bool {
        instant <= startsAt && unpaidGraceEnd == nil
            && ShareTrack(of: states, measuring: .whole).steps.last?.share ?? 0 == 0
    }

    /// The item of the subscription that the period is of; nil where the purchase has no items.
    var item: String? { spokesman.item }

    /// True if the newest event of the source lists the period, or the source has no events.
    var isListed: Bool { listed.map { $0.last.map { $0.endsAt == nil } ?? false } ?? true }

    /// True if the period is more than a copy that ends before it starts. What events list always is.
    private var runs: Bool { listed != nil || expiresAt.map { startsAt < $0 } ?? false }

    /// The date at which the period was first stated.
    private var statedAt: Instant { states.lazy.map(\.signedAt).reduce(.distantFuture, min) }

    /// True if another period took the place of this one: a state says so, another begins inside it, or the source's
    /// events end it before its expiry.
    var isReplaced: Bool {
        guard upgradedSaidAt == nil, let end = listed?.last?.endsAt ?? followedAt else { return upgradedSaidAt != nil }
        return end < expiresAt ?? startsAt
    }

    /// The sort order of a period's states by which the last one gives the offer and its price: by signing date, then
    /// by event id. Ties: a state without an offer first, then by the bytes of the offer, then the higher price first.
    /// A missing price sorts as the highest.
    private static func sellsBefore(_ left: VerifiedPurchase, _ right: VerifiedPurchase) -> Bool {
        if let order = olderFirst(left, right) { return order }
        if left.offer != right.offer {
            guard let first = left.offer, let second = right.offer else { return left.offer == nil }
            return first.utf8.lexicographicallyPrecedes(second.utf8)
        }
        return left.price?.milliunits ?? .max > right.price?.milliunits ?? .max
    }

    /// The sort order of a period's states by which the last one gives the suspension: by signing date, then by event
    /// id. Ties: a state without a suspension first, then the later start first, then the earlier end first.
    private static func suspendsBefore(_ left: VerifiedPurchase, _ right: VerifiedPurchase) -> Bool {
        if let order = olderFirst(left, right) { return order }
        guard let first = left.suspension, let second = right.suspension else {
            return left.suspension == nil && right.suspension != nil
        }
        if first.startsAt != second.startsAt { return first.startsAt > second.startsAt }
        return first.endsAt?.milliseconds ?? .max < second.endsAt?.milliseconds ?? .max
    }

    /// Returns true if `left` was stated before `right`, and nil if both have the same signing date and event id.
    private static func olderFirst(_ left: VerifiedPurchase, _ right: VerifiedPurchase) -> Bool? {
        let (first, second) = (left.statedAt, right.statedAt)
        return first < second ? true : second < first ? false : nil
    }

    /// Returns what `renewals`, the oldest first, say of the time from the end of the period `endsAt` on: each state
    /// from its signing, and nothing before the first. Of a source with events the newest state says all.
    ///
    /// A state counts if it was signed since the period began or was first stated, whichever is earlier. An older state
    /// spoke of the renewal that led to this period.
    func words(
        in renewals: some RandomAccessCollection<VerifiedRenewal>, from endsAt: Instant
    ) -> [Window.Word] {
        let since = min(startsAt, statedAt)
        guard listed == nil else {
            return [Window.Word(from: endsAt, renewal: renewals.last { since <= $0.signedAt })]
        }
        // Without events no state ends the chain for good, so the states are in the order of their signing dates.
        let end = renewals.first(signedFrom: followedAt ?? .distantFuture)
        let told = renewals[renewals.first(signedFrom: since)..<end]
        return told.reduce(into: [Window.Word(from: endsAt, renewal: nil)]) { words, renewal in
            let word = Window.Word(from: max(endsAt, renewal.signedAt), renewal: renewal)
            if words.last?.from == word.from { words.removeLast() }
            words.append(word)
        }
    }
}

extension RandomAccessCollection<VerifiedRenewal> {
    /// Returns the index of the first state that was signed at `instant` or later. The states are in the order of their
    /// signing dates, so a chain of many periods looks at a few for each.
    fileprivate func first(signedFrom instant: Instant) -> Index {
        var (start, rest) = (startIndex, count)
        while rest > 0 {
            let middle = index(start, offsetBy: rest / 2)
            if self[middle].signedAt < instant {
                (start, rest) = (index(after: middle), rest - rest / 2 - 1)
            } else {
                rest /= 2
            }
        }
        return start
    }
}

/// The name of a period: the id that the store gives it, else its transaction id.
struct PeriodID: Identifier {
    let text: String
    init(_ text: String) { self.text = text }

    init(of state: VerifiedPurchase) { text = state.periodID ?? state.transactionID.text }
}
