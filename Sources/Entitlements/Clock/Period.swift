/// One period of a chain, from all the transactions that show it (`semantics.md` §5).
struct Period {
    let id: PeriodID
    let states: [VerifiedPurchase]
    let spokesman: VerifiedPurchase
    let startsAt: Instant
    /// What the newest state says; nil when none says any, and then there is no window.
    let expiresAt: Instant?
    /// What is refunded or, with the whole chain, withdrawn.
    let share: ShareTrack
    /// The first time that a state says that another period took its place.
    let upgradedSaidAt: Instant?
    /// As the newest state has it.
    let suspension: Suspension?
    /// By which it was sold, as the newest state has it.
    let offer: String?
    /// Whether an offer sold it for nothing; nil where one did and no state says the price.
    let isTrial: Bool?

    /// The periods of a chain, by their start.
    static func all(in states: [VerifiedPurchase], withdrawal: ShareTrack) -> [Period] {
        Dictionary(grouping: states) { PeriodID($0.periodID ?? $0.transactionID.text) }
            .compactMap { Period($0.value, named: $0.key, withdrawal: withdrawal) }
            .sorted { left, right in
                if left.startsAt != right.startsAt { return left.startsAt < right.startsAt }
                let (first, second) = (left.expiresAt ?? .distantPast, right.expiresAt ?? .distantPast)
                return first != second ? first < second : left.id < right.id
            }
    }

    private init?(_ states: [VerifiedPurchase], named id: PeriodID, withdrawal: ShareTrack) {
        guard let spokesman = Reading.spokesman(of: states),
            let startsAt = states.lazy.map(\.purchasedAt).min()
        else { return nil }
        self.id = id
        self.states = states
        self.spokesman = spokesman
        self.startsAt = startsAt
        expiresAt =
            states.lazy
            .compactMap { state in state.expiresAt.map { (signedAt: state.signedAt, expiresAt: $0) } }
            .max { ($0.signedAt, $0.expiresAt) < ($1.signedAt, $1.expiresAt) }?.expiresAt
        share = .largest(of: [ShareTrack(of: states, measuring: .whole), withdrawal])
        upgradedSaidAt = states.lazy.filter(\.isUpgraded).map(\.signedAt).min()
        suspension = states.max(by: Self.suspendsBefore)?.suspension
        let sale = states.max(by: Self.sellsBefore)
        offer = sale?.offer
        isTrial = sale?.offer == nil ? false : sale?.price.map { $0.milliunits == 0 }
    }

    /// By `signedAt`; ties: sold by an offer last, then by its bytes, then the lower price, none being the highest.
    private static func sellsBefore(_ left: VerifiedPurchase, _ right: VerifiedPurchase) -> Bool {
        if left.signedAt != right.signedAt { return left.signedAt < right.signedAt }
        if left.offer != right.offer {
            guard let first = left.offer, let second = right.offer else { return left.offer == nil }
            return first.utf8.lexicographicallyPrecedes(second.utf8)
        }
        return left.price?.milliunits ?? .max > right.price?.milliunits ?? .max
    }

    /// By `signedAt`; ties: suspended last, then the earlier start, then the later end.
    private static func suspendsBefore(_ left: VerifiedPurchase, _ right: VerifiedPurchase) -> Bool {
        if left.signedAt != right.signedAt { return left.signedAt < right.signedAt }
        guard let first = left.suspension, let second = right.suspension else {
            return left.suspension == nil && right.suspension != nil
        }
        if first.startsAt != second.startsAt { return first.startsAt > second.startsAt }
        return first.endsAt?.milliseconds ?? .max < second.endsAt?.milliseconds ?? .max
    }

    /// The newest state of the chain's renewal that is about this period, were it the last: one signed since the period
    /// was first stated, or began. An older one said what would follow upon an earlier period, and this one did.
    func renewal(among renewals: [VerifiedRenewal]) -> VerifiedRenewal? {
        let since = states.lazy.map(\.signedAt).reduce(startsAt, min)
        return renewals.lazy.filter { $0.signedAt >= since }.max(by: VerifiedRenewal.precedes)
    }
}

/// A period's name: the store's own, else its transaction id.
struct PeriodID: Identifier {
    let text: String
    init(_ text: String) { self.text = text }
}
