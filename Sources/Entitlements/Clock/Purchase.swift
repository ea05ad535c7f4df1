/// A purchase that the user has or had, as its facts and the catalogue describe it.
///
/// This is a class because a status reads each purchase many times, and copying a struct of this size takes longer.
package final class Purchase: Sendable {
    /// The benefit that a purchase gives, or the obstacle because of which it gives none.
    package enum Benefit: Hashable, Sendable {
        /// Nothing: the purchase is genuine and bound, but only recorded (`semantics.md` §1).
        case recorded(Obstacle)
        case pass(tier: Tier, length: Int64)
        case addOn(features: [Feature], requires: TierID?, seats: Int)
        case credits(CreditLot)
        /// The windows of the periods that count, by start; for an operator's "until", the one window.
        case plan([Window])
    }

    /// The reason why a purchase is only recorded, in order of precedence.
    package enum Obstacle: Hashable, Sendable, CaseIterable {
        case quarantined
        case unknownProduct
        case productTypeMismatch
        case familyShared
        case sandboxNotAllowed
    }

    package let key: PurchaseKey
    /// When this server recorded that the user first got the purchase.
    package let boundAt: Instant
    /// The stretches of time in which the user had the purchase; never empty.
    package let tenures: [Tenure]
    /// The facts about the purchase, in the order of recording.
    package let facts: [PurchaseFact]
    /// The catalogue's id of the product; for a chain, of the product of its newest period. Nil while no version knows
    /// the product, and for a grant that names no product.
    package let productID: ProductID?
    /// The store's own name of the same product; nil for a grant.
    package let storeProductID: ProductID?
    /// The product's kind in the catalogue; nil while no version knows the product.
    package let kind: ProductKind?
    /// The purchase date; for a chain, the start of its first period. A pass does not run before it (`semantics.md`
    /// §2).
    package let anchor: Instant
    package let quantity: Int
    /// The share that is refunded or withdrawn; for a chain, the share of its newest period.
    package let share: ShareTrack
    /// The instant at which an operator withdrew the purchase; nil if none did.
    package let withdrawnAt: Instant?
    package let benefit: Benefit
    /// The obstacle of each period that gives nothing, although the chain may count.
    let obstacles: [PeriodID: Obstacle]
    /// The reason why operators have to look at a purchase that counts; nil if there is none.
    let anomaly: Anomaly?
    /// The device seats that the product of a pass gives; nil if its tier says how many.
    package let seats: Int?
    /// The App Store's subscription groups that the states name, and whether an introductory offer sold one of these to
    /// the buyer, and not to somebody else in the family.
    let subscriptionGroups: [String: Bool]

    private init?(_ gathered: PurchaseFacts, given catalogue: CatalogueVersions) {
        guard let boundAt = gathered.boundAt, let meaning = PurchaseMeaning(gathered, given: catalogue) else {
            return nil
        }
        key = gathered.key
        self.boundAt = boundAt
        tenures = gathered.tenures
        facts = gathered.facts
        productID = meaning.productID
        storeProductID = meaning.storeProductID
        kind = meaning.kind
        anchor = meaning.anchor
        quantity = meaning.quantity
        share = meaning.share
        withdrawnAt = gathered.withdrawnAt
        benefit = meaning.benefit
        obstacles = meaning.obstacles
        anomaly = meaning.anomaly
        seats = meaning.seats
        subscriptionGroups = Self.subscriptionGroups(in: gathered.states)
    }

    /// Returns the purchases that the user has or had, by anchor and then by id. A purchase that the user never had
    /// gives none, even if the ledger holds statements of it.
    static func all(of gathered: [PurchaseFacts], given catalogue: CatalogueVersions) -> [Purchase] {
        gathered.compactMap { Purchase($0, given: catalogue) }.sorted(by: precedes)
    }

    /// The order in which purchases are shown: by anchor, then by id.
    static func precedes(_ left: Purchase, _ right: Purchase) -> Bool {
        if left.anchor != right.anchor { return left.anchor < right.anchor }
        return left.key.comesFirst(inTieWith: right.key)
    }

    private static func subscriptionGroups(in states: [VerifiedPurchase]) -> [String: Bool] {
        var groups: [String: Bool] = [:]
        for state in states {
            guard let group = state.subscriptionGroup else { continue }
            let isIntroductory = state.offer == VerifiedPurchase.introductoryOffer && !state.isFamilyShared
            groups[group] = groups[group] == true || isIntroductory
        }
        return groups
    }

    /// Returns the purchase date of a one-time purchase: the earliest `purchasedAt` of its original. While no state of
    /// the original is known, it is the earliest date that a restored copy names (`semantics.md` §2).
    package static func anchor(of states: [VerifiedPurchase]) -> Instant? {
        states.lazy.filter(\.isOriginal).map(\.purchasedAt).min() ?? states.lazy.map(\.originallyPurchasedAt).min()
    }
}

extension Purchase.Benefit {
    /// The length of a pass in milliseconds, before refunds; nil for anything else.
    var length: Int64? {
        guard case .pass(_, let length) = self else { return nil }
        return length
    }

    /// True for passes and credits, from which a partial refund takes only its share.
    var isTakenByShare: Bool {
        switch self {
        case .pass, .credits: true
        case .recorded, .addOn, .plan: false
        }
    }
}
