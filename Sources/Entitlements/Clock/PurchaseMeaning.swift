/// A purchase as a ledger holds it, read with the catalogue: the step from evidence to benefit.
struct PurchaseMeaning {
    /// Nil while no version of the catalogue knows the product, and for a grant that is of none.
    let productID: ProductID?
    /// The store's own name of the product; nil for a grant.
    let storeProductID: ProductID?
    let kind: ProductKind?
    let anchor: Instant
    let quantity: Int
    let share: ShareTrack
    let benefit: Purchase.Benefit
    /// The seats that a pass has of its own.
    private(set) var seats: Int?

    /// Nil while there is neither a state nor a grant.
    init?(_ gathered: PurchaseFacts, given catalogue: CatalogueVersions) {
        if let grant = gathered.grant {
            self.init(grant, given: catalogue, withdrawal: gathered.withdrawal)
        } else if gathered.states.allSatisfy({ $0.type == .plan }) {
            self.init(chain: gathered, given: catalogue)
        } else {
            self.init(
                oneTime: gathered.states, of: gathered.key, given: catalogue, withdrawal: gathered.withdrawal)
        }
    }

    /// Reads a one-time purchase: all states are of one identity. Nil without a state.
    private init?(
        oneTime states: [VerifiedPurchase], of key: PurchaseKey, given catalogue: CatalogueVersions,
        withdrawal: ShareTrack
    ) {
        guard let spokesman = Self.spokesman(of: states), let anchor = Purchase.anchor(of: states) else { return nil }
        let originals = states.filter(\.isOriginal)
        let quantity = (originals.isEmpty ? states : originals).reduce(0) { max($0, $1.quantity) }
        let product = catalogue.product(
            named: spokesman.productNames, from: key.source, for: key.app, purchasedAt: anchor)
        let terms = product?.terms
        let measure = Self.measure(of: states, as: terms?.kind)
        let share = ShareTrack.largest(of: [ShareTrack(of: states, measuring: measure), withdrawal])
        productID = product?.id
        storeProductID = spokesman.storeProductID
        self.anchor = anchor
        self.quantity = quantity
        self.share = share
        kind = terms?.kind
        seats = product?.seats
        switch (terms, Self.obstacle(in: states, given: terms)) {
        case (_, let obstacle?):
            benefit = .recorded(obstacle)
        case (.pass(let tier, let days)?, nil):
            let length = Pass.length(days: days, quantity: quantity)
            benefit = catalogue.tier(tier).map { .pass(tier: $0, length: length) } ?? .recorded(.unknownProduct)
        case (.addOn(let features, let requires, let seats, _)?, nil):
            benefit = .addOn(features: features, requires: requires, seats: seats)
        case (.consumable(let unit, let amount, let onShortfall)?, nil):
            benefit = .credits(
                CreditLot(
                    unit: unit, environment: key.environment,
                    credited: CreditLot.credited(amount: amount, quantity: quantity), creditedAt: anchor,
                    onShortfall: onShortfall, share: share))
        case (.plan?, nil), (nil, nil):
            // A plan whose states are not all of plans, or no terms: both have an obstacle above.
            benefit = .recorded(.productTypeMismatch)
        }
    }

    /// Reads a chain: each period is an identity of its own. Nil without a state of a period; states of the renewal
    /// make no purchase.
    private init?(chain gathered: PurchaseFacts, given catalogue: CatalogueVersions) {
        let periods = Period.all(in: gathered.states, withdrawal: gathered.withdrawal)
        let sales = periods.map { Sale(of: $0, gathered.key, given: catalogue) }
        let lasts = Set(Dictionary(grouping: periods.indices, by: { periods[$0].item }).values.compactMap(\.last))
        // An item whose newest period counts goes first, then an item that still runs.
        let newest = lasts.max { left, right in
            if (sales[left].obstacle == nil) != (sales[right].obstacle == nil) { return sales[left].obstacle != nil }
            if periods[left].isListed != periods[right].isListed { return !periods[left].isListed }
            return left < right
        }
        guard let newest, let first = periods.first else { return nil }
        anchor = first.startsAt
        quantity = 1
        share = periods[newest].share
        productID = sales[newest].product?.id
        storeProductID = periods[newest].spokesman.storeProductID
        kind = sales[newest].product?.terms.kind
        let overAt = gathered.renewals.compactMap(\.endedAt).min()
        let windows = periods.indices.compactMap { index -> Window? in
            let (period, sale) = (periods[index], sales[index])
            guard sale.obstacle == nil, let product = sale.product, let tier = sale.tier else { return nil }
            let isLast = lasts.contains(index)
            return Window(
                period, followedBy: periods[(index + 1)...].first { $0.startsAt > period.startsAt }, of: product,
                tier: tier, isLast: isLast, renewal: isLast ? period.renewal(among: gathered.renewals) : nil,
                overAt: overAt)
        }
        benefit = windows.isEmpty ? .recorded(sales[newest].obstacle ?? .productTypeMismatch) : .plan(windows)
    }

    /// A period's product in the catalogue, its tier, and the obstacle to its counting.
    private struct Sale {
        let product: Product?
        let tier: Tier?
        let obstacle: Purchase.Obstacle?

        init(of period: Period, _ key: PurchaseKey, given catalogue: CatalogueVersions) {
            let product = catalogue.product(
                named: period.spokesman.productNames, from: key.source, for: key.app, purchasedAt: period.startsAt)
            let tier = product?.terms.tier.flatMap { catalogue.tier($0) }
            self.product = product
            self.tier = tier
            let obstacle = PurchaseMeaning.obstacle(in: period.states, given: product?.terms)
            self.obstacle = obstacle ?? (tier == nil ? .unknownProduct : nil)
        }
    }

    /// The first obstacle, by precedence, that keeps the states of one identity from counting.
    static func obstacle(in states: [VerifiedPurchase], given terms: Terms?) -> Purchase.Obstacle? {
        if let first = states.first, states.dropFirst().contains(where: { !$0.namesSameProduct(as: first) }) {
            return .quarantined
        }
        guard let terms else { return .unknownProduct }
        guard states.allSatisfy({ $0.type.fits(terms.kind) }) else { return .productTypeMismatch }
        guard terms.isFamilyShareable || !states.contains(where: \.isFamilyShared) else { return .familyShared }
        return nil
    }

    /// The measure of a share by its type. States that disagree on the type count for nothing, so their share is shown
    /// as it is.
    private static func measure(of states: [VerifiedPurchase], as kind: ProductKind?) -> ShareTrack.Measure {
        let measures = Set(states.map { $0.type.measure(of: kind) })
        return measures.count == 1 ? measures.first ?? .share : .share
    }

    /// The state that speaks for a purchase, in any order of `states`: the original's first signed one, else a copy's.
    static func spokesman(of states: [VerifiedPurchase]) -> VerifiedPurchase? {
        guard states.count > 1 else { return states.first }
        return states.min { left, right in
            if left.isOriginal != right.isOriginal { return left.isOriginal }
            if left.signedAt != right.signedAt { return left.signedAt < right.signedAt }
            if left.transactionID != right.transactionID { return left.transactionID < right.transactionID }
            return left.productNames.lexicographicallyPrecedes(right.productNames)
        }
    }
}

extension Terms {
    /// True if a family-shared transaction counts (`semantics.md` §3): a shared pass or consumable is an anomaly.
    package var isFamilyShareable: Bool {
        switch self {
        case .addOn(_, _, _, let familyShareable), .plan(_, _, let familyShareable): familyShareable
        case .pass, .consumable: false
        }
    }
}
