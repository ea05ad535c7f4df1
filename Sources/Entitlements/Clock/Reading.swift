/// What a ledger holds about one purchase, read with the catalogue: the step from evidence to worth.
struct Reading {
    /// Nil for a grant that is of no product.
    let productID: ProductID?
    let kind: ProductKind?
    let anchor: Instant
    let quantity: Int
    let share: ShareTrack
    let worth: Purchase.Worth
    /// The seats that a pass has of its own.
    private(set) var seats: Int?

    /// Nil while there is neither a state nor a grant.
    init?(_ gathered: Purchase.Gathered, given catalogue: CatalogueVersions) {
        if let grant = gathered.grant {
            self.init(grant, given: catalogue, withdrawal: gathered.withdrawal)
        } else if gathered.states.allSatisfy({ $0.type == .autoRenewable }) {
            self.init(
                chain: gathered.states, of: gathered.key, given: catalogue, withdrawal: gathered.withdrawal)
        } else {
            self.init(
                oneTime: gathered.states, of: gathered.key, given: catalogue, withdrawal: gathered.withdrawal)
        }
    }

    /// Of a one-time purchase: all states are of one identity. Nil without a state.
    private init?(
        oneTime states: [VerifiedPurchase], of key: PurchaseKey, given catalogue: CatalogueVersions,
        withdrawal: ShareTrack
    ) {
        guard let spokesman = Self.spokesman(of: states), let anchor = Purchase.anchor(of: states) else { return nil }
        let originals = states.filter(\.isOriginal)
        let quantity = (originals.isEmpty ? states : originals).reduce(0) { max($0, $1.quantity) }
        let share = ShareTrack.largest(of: [ShareTrack(of: states, measuring: Self.measure(of: states)), withdrawal])
        let terms = catalogue.terms(of: spokesman.productID, from: key.source, for: key.app, purchasedAt: anchor)
        productID = spokesman.productID
        self.anchor = anchor
        self.quantity = quantity
        self.share = share
        kind = terms?.kind
        seats = catalogue.seats(of: spokesman.productID, from: key.source, for: key.app, purchasedAt: anchor)
        switch (terms, Self.obstacle(in: states, given: terms)) {
        case (_, let obstacle?):
            worth = .recorded(obstacle)
        case (.pass(let tier, let days)?, nil):
            let length = Pass.length(days: days, quantity: quantity)
            worth = catalogue.tier(tier).map { .pass(tier: $0, length: length) } ?? .recorded(.unknownProduct)
        case (.addOn(let features, let requires, let seats, _)?, nil):
            worth = .addOn(features: features, requires: requires, seats: seats)
        case (.consumable(let unit, let amount, let onShortfall)?, nil):
            worth = .credits(
                CreditLot(
                    unit: unit, environment: key.environment,
                    credited: CreditLot.credited(amount: amount, quantity: quantity), creditedAt: anchor,
                    onShortfall: onShortfall, share: share))
        case (.plan?, nil), (nil, nil):
            // A plan whose states are not all auto-renewable, or no terms: both have an obstacle above.
            worth = .recorded(.productTypeMismatch)
        }
    }

    /// Of an auto-renewable's chain: each period is an identity of its own. Nil without a state.
    private init?(
        chain states: [VerifiedPurchase], of key: PurchaseKey, given catalogue: CatalogueVersions,
        withdrawal: ShareTrack
    ) {
        let periods = Period.all(in: states, withdrawal: withdrawal)
        guard let first = periods.first, let newest = periods.last else { return nil }
        productID = newest.spokesman.productID
        anchor = first.startsAt
        quantity = 1
        share = newest.share
        var windows: [Window] = []
        var newestTerms: Terms?
        var newestObstacle: Purchase.Obstacle?
        for (index, period) in periods.enumerated() {
            let terms = catalogue.terms(
                of: period.spokesman.productID, from: key.source, for: key.app, purchasedAt: period.startsAt)
            newestTerms = terms
            newestObstacle = Self.obstacle(in: period.states, given: terms)
            guard newestObstacle == nil, case .plan(let tierID, _, _)? = terms else { continue }
            guard let tier = catalogue.tier(tierID) else {
                newestObstacle = .unknownProduct
                continue
            }
            let next = periods[(index + 1)...].first { $0.startsAt > period.startsAt }
            windows.append(
                Window(
                    period, followedBy: next, tier: tier,
                    seats: catalogue.seats(
                        of: period.spokesman.productID, from: key.source, for: key.app, purchasedAt: period.startsAt),
                    isLast: index == periods.count - 1))
        }
        kind = newestTerms?.kind
        worth = windows.isEmpty ? .recorded(newestObstacle ?? .productTypeMismatch) : .plan(windows)
    }

    /// What keeps the states of one identity from counting, the first by precedence.
    static func obstacle(in states: [VerifiedPurchase], given terms: Terms?) -> Purchase.Obstacle? {
        if let first = states.first, states.dropFirst().contains(where: { $0.productID != first.productID }) {
            return .quarantined
        }
        guard let terms else { return .unknownProduct }
        guard states.allSatisfy({ $0.type.kind == terms.kind }) else { return .productTypeMismatch }
        guard terms.isFamilyShareable || !states.contains(where: \.isFamilyShared) else { return .familyShared }
        return nil
    }

    /// Of states that disagree on the type, which count for nothing, the share is shown as it is.
    private static func measure(of states: [VerifiedPurchase]) -> ShareTrack.Measure {
        states.allSatisfy { $0.type.measure == .whole } ? .whole : .share
    }

    /// The same of the same states in any order: the original's first signed one, else that of a copy.
    static func spokesman(of states: [VerifiedPurchase]) -> VerifiedPurchase? {
        guard states.count > 1 else { return states.first }
        return states.min { left, right in
            if left.isOriginal != right.isOriginal { return left.isOriginal }
            if left.signedAt != right.signedAt { return left.signedAt < right.signedAt }
            if left.transactionID != right.transactionID { return left.transactionID < right.transactionID }
            return left.productID < right.productID
        }
    }
}

extension Terms {
    /// Whether a family-shared transaction counts (`semantics.md` §3): a shared pass or consumable is an anomaly.
    package var isFamilyShareable: Bool {
        switch self {
        case .addOn(_, _, _, let familyShareable), .plan(_, _, let familyShareable): familyShareable
        case .pass, .consumable: false
        }
    }
}

extension StoreProductType {
    /// A refund stops a pass or takes credits by its share; a window or an add-on is off with any.
    var measure: ShareTrack.Measure {
        switch self {
        case .consumable, .nonRenewing, .unknown: .share
        case .nonConsumable, .autoRenewable: .whole
        }
    }
}
