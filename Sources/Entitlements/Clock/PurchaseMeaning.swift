/// The facts about a purchase, read with the catalogue: its product, its refunded share and its benefit.
struct PurchaseMeaning {
    /// The catalogue's id of the product; nil while no version knows the product, and for a grant that names no
    /// product.
    let productID: ProductID?
    /// The store's own name of the product; nil for a grant.
    let storeProductID: ProductID?
    let kind: ProductKind?
    let anchor: Instant
    let quantity: Int
    let share: ShareTrack
    let benefit: Purchase.Benefit
    /// The obstacle of each period that gives nothing, although the chain may count.
    private(set) var obstacles: [PeriodID: Purchase.Obstacle] = [:]
    /// The reason why operators have to look at a purchase that counts.
    private(set) var anomaly: Anomaly?
    /// The device seats that the product of a pass gives; nil if its tier says how many.
    private(set) var seats: Int?

    /// Returns nil if the purchase has no state and is no grant.
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

    /// Reads a one-time purchase. Returns nil if there is no state.
    private init?(
        oneTime states: [VerifiedPurchase], of key: PurchaseKey, given catalogue: CatalogueVersions,
        withdrawal: ShareTrack
    ) {
        guard let spokesman = Self.spokesman(of: states), let anchor = Purchase.anchor(of: states) else { return nil }
        let quantity = states.reduce(0) { max($0, $1.quantity) }
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
        case (.pass(let tier, let days, let sandboxMinutes)?, nil):
            let length =
                if key.environment == .sandbox, let sandboxMinutes {
                    Pass.length(minutes: sandboxMinutes, quantity: quantity)
                } else {
                    Pass.length(days: days, quantity: quantity)
                }
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
            // Neither case is reached: `obstacle(in:given:)` finds an obstacle if the terms are missing, or are of a
            // plan.
            benefit = .recorded(.productTypeMismatch)
        }
        guard benefit.isTakenByShare else { return }
        let differs = states.contains { $0.quantity != quantity }
        anomaly = VerifiedPurchase.isRefundUnclear(in: states) ? .unclearRefund : differs ? .quantityDiffers : nil
    }

    /// Reads a chain, each period by itself. Returns nil if there is no state of a period, because states of the
    /// renewal alone make no purchase.
    private init?(chain gathered: PurchaseFacts, given catalogue: CatalogueVersions) {
        let periods = Period.all(in: gathered.states, withdrawal: gathered.withdrawal)
        let sales = periods.map { Sale(of: $0, gathered.key, given: catalogue) }
        let lasts = Set(Dictionary(grouping: periods.indices, by: { periods[$0].item }).values.compactMap(\.last))
        // The last period that stands for the chain: by preference one that counts, then one that still runs, then the
        // latest.
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
        let renewals = gathered.renewals.sorted(by: VerifiedRenewal.precedes)
        let overAt = renewals.compactMap(\.endedAt).min()
        let windows = periods.indices.compactMap { index -> Window? in
            let (period, sale) = (periods[index], sales[index])
            guard sale.obstacle == nil, let product = sale.product, let tier = sale.tier else { return nil }
            return Window(
                period, of: product, tier: tier, isLast: lasts.contains(index), renewals: renewals, overAt: overAt)
        }
        kind = windows.isEmpty ? sales[newest].product?.terms.kind : .plan
        benefit = windows.isEmpty ? .recorded(sales[newest].obstacle ?? .productTypeMismatch) : .plan(windows)
        for (period, sale) in zip(periods, sales) { obstacles[period.id] = sale.obstacle }
        let parts = lasts.sorted(by: >).filter { periods[$0].isListed }
        let isPaidAfter = gathered.withdrawnAt.map { end in periods.contains { $0.isPaid(after: end) } } ?? false
        anomaly =
            parts.lazy.compactMap { sales[$0].obstacle }.first.flatMap { Anomaly($0) }
            ?? (isPaidAfter ? .paidAfterWithdrawal : nil)
    }

    /// The product of a period, its tier, and the obstacle that keeps it from counting.
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

    /// Returns the first obstacle, by precedence, that keeps the purchase with these states from counting.
    static func obstacle(in states: [VerifiedPurchase], given terms: Terms?) -> Purchase.Obstacle? {
        if let first = states.first, states.dropFirst().contains(where: { !$0.namesSameProduct(as: first) }) {
            return .quarantined
        }
        guard let terms else { return .unknownProduct }
        guard states.allSatisfy({ $0.type.fits(terms.kind) }) else { return .productTypeMismatch }
        guard terms.isFamilyShareable || !states.contains(where: \.isFamilyShared) else { return .familyShared }
        return nil
    }

    /// Returns how a refund takes from the purchase, by the types that its states name and the catalogue's kind. If the
    /// types of the states would lead to different results, a refund takes its share.
    private static func measure(of states: [VerifiedPurchase], as kind: ProductKind?) -> ShareTrack.Measure {
        let measures = Set(states.map { $0.type.measure(of: kind) })
        return measures.count == 1 ? measures.first ?? .share : .share
    }

    /// Returns the state that stands for all `states`, whatever their order (`semantics.md` §5). A state of the
    /// original goes before one of a restored copy, then the one that was signed first.
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
    /// True if a family-shared transaction of the product counts. For a pass or a consumable it never does
    /// (`semantics.md` §3).
    package var isFamilyShareable: Bool {
        switch self {
        case .addOn(_, _, _, let familyShareable), .plan(_, _, let familyShareable): familyShareable
        case .pass, .consumable: false
        }
    }
}
