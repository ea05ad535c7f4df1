/// A purchase that is or was a user's: what its signed states, or the grant that it is, and the catalogue say together.
///
/// A class, because a status looks at each many times, and copying one takes longer than looking.
package final class Purchase: Sendable {
    /// The benefit of a purchase while nothing is in its way.
    package enum Benefit: Hashable, Sendable {
        /// Genuine and bound, but granting nothing (`semantics.md` §1).
        case recorded(Obstacle)
        case pass(tier: Tier, length: Int64)
        case addOn(features: [Feature], requires: TierID?, seats: Int)
        case credits(CreditLot)
        /// The chain's periods that count, by their start; of an operator's "until" the one window.
        case plan([Window])
    }

    /// Why a purchase is only recorded, in order of precedence.
    package enum Obstacle: Hashable, Sendable, CaseIterable {
        case quarantined
        case unknownProduct
        case productTypeMismatch
        case familyShared
        case sandboxNotAllowed
    }

    package let key: PurchaseKey
    /// When it first became this user's.
    package let boundAt: Instant
    /// When the user had it; never empty.
    package let tenures: [Tenure]
    /// The facts that make it, in the order of recording.
    package let facts: [PurchaseFact]
    /// The product in the catalogue, of a chain that of its newest period; nil while no version knows it, and for a
    /// grant that is of no product.
    package let productID: ProductID?
    /// The store's own name of that product; nil for a grant.
    let storeProductID: ProductID?
    /// The kind that the catalogue gives it; nil while no version knows the product.
    package let kind: ProductKind?
    /// When it was made; of a pass the instant before which it does not run (`semantics.md` §2).
    package let anchor: Instant
    package let quantity: Int
    /// The share that is refunded or withdrawn; of a chain the track of its newest period.
    package let share: ShareTrack
    package let benefit: Benefit
    /// True if the store says of a pass or a lot that a share of it was refunded, but not how much.
    let isRefundUnclear: Bool
    /// A pass's own device seats, which go before its tier's.
    package let seats: Int?

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
        benefit = meaning.benefit
        isRefundUnclear = meaning.benefit.isTakenByShare && VerifiedPurchase.isRefundUnclear(in: gathered.states)
        seats = meaning.seats
    }

    /// All purchases that the user of the ledger has or had, each from the set of its states alone; evidence about a
    /// purchase that was never theirs gives nothing.
    static func all(of gathered: [PurchaseFacts], given catalogue: CatalogueVersions) -> [Purchase] {
        gathered.compactMap { Purchase($0, given: catalogue) }.sorted(by: precedes)
    }

    /// The order in which purchases are shown: by anchor, then by id.
    static func precedes(_ left: Purchase, _ right: Purchase) -> Bool {
        if left.anchor != right.anchor { return left.anchor < right.anchor }
        return left.key.comesFirst(inTieWith: right.key)
    }

    /// When a one-time purchase was made: `purchasedAt` of the purchase itself, else the earliest date that its
    /// restored copies name (`semantics.md` §2).
    package static func anchor(of states: [VerifiedPurchase]) -> Instant? {
        states.lazy.filter(\.isOriginal).map(\.purchasedAt).min() ?? states.lazy.map(\.originallyPurchasedAt).min()
    }
}

extension Purchase.Benefit {
    /// True if a partial refund takes only its share; from any other purchase it takes the whole.
    fileprivate var isTakenByShare: Bool {
        switch self {
        case .pass, .credits: true
        case .recorded, .addOn, .plan: false
        }
    }
}
