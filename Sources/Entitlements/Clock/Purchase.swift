/// A purchase that is bound to a user: what its signed states and the catalogue say together.
package struct Purchase: Hashable, Sendable {
    /// What it is worth while nothing is in its way.
    package enum Worth: Hashable, Sendable {
        /// Genuine and bound, but granting nothing (`semantics.md` §1).
        case recorded(Obstacle)
        case pass(tier: Tier, length: Int64)
        case addOn(features: [Feature], requires: TierID?, seats: Int)
        case credits(CreditLot)
        /// The chain's periods that count, by their start.
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
    /// The facts that make it, in the order of recording.
    package let facts: [Explanation.Fact]
    /// Of a chain: the product of its newest period.
    package let productID: ProductID
    package let type: StoreProductType
    /// The kind that the catalogue gives it; nil while no version knows the product.
    package let kind: ProductKind?
    /// When it was made; of a pass the instant before which it does not run (`semantics.md` §2).
    package let anchor: Instant
    package let quantity: Int
    /// Of a chain: the track of its newest period.
    package let share: ShareTrack
    package let worth: Worth

    /// The order in which purchases are shown: by anchor, then by id.
    static func precedes(_ left: Purchase, _ right: Purchase) -> Bool {
        if left.anchor != right.anchor { return left.anchor < right.anchor }
        if left.key.externalID != right.key.externalID { return left.key.externalID < right.key.externalID }
        return left.key < right.key
    }

    /// When a one-time purchase was made: `purchasedAt` of the purchase itself, else the earliest date that its restored
    /// copies name (`semantics.md` §2).
    package static func anchor(of states: [VerifiedPurchase]) -> Instant? {
        states.lazy.filter(\.isOriginal).map(\.purchasedAt).min() ?? states.lazy.map(\.originallyPurchasedAt).min()
    }
}

extension Purchase {
    /// All purchases that are bound in `ledger`, each from the set of its states alone; evidence about a purchase that is
    /// not bound gives nothing.
    package static func all(in ledger: UserLedger, given catalogue: CatalogueVersions) -> [Purchase] {
        var gathered: [Gathered] = []
        var positions: [PurchaseKey: Int] = [:]
        positions.reserveCapacity(ledger.entries.count / 2)
        for entry in ledger.entries {
            let key = entry.fact.purchase
            let position = positions[key] ?? gathered.count
            if position == gathered.count {
                positions[key] = position
                gathered.append(Gathered(key: key))
            }
            gathered[position].add(entry)
        }
        let purchases = gathered.compactMap { Purchase($0, given: catalogue) }
        // Positions are cheaper to move about than purchases.
        return purchases.indices.sorted { precedes(purchases[$0], purchases[$1]) }.map { purchases[$0] }
    }

    /// What a ledger holds about one purchase.
    struct Gathered {
        let key: PurchaseKey
        var boundAt: Instant?
        var facts: [Explanation.Fact] = []
        var states: [VerifiedPurchase] = []

        init(key: PurchaseKey) { self.key = key }

        mutating func add(_ entry: LedgerEntry) {
            facts.append(Explanation.Fact(entry))
            switch entry.fact {
            case .evidence(let state): states.append(state)
            case .bound: boundAt = boundAt ?? entry.recordedAt
            }
        }
    }

    private init?(_ gathered: Gathered, given catalogue: CatalogueVersions) {
        guard let boundAt = gathered.boundAt, !gathered.states.isEmpty else { return nil }
        let isChain = gathered.states.allSatisfy { $0.type == .autoRenewable }
        let reading =
            isChain
            ? Reading(chain: gathered.states, of: gathered.key, given: catalogue)
            : Reading(oneTime: gathered.states, of: gathered.key, given: catalogue)
        guard let reading else { return nil }
        key = gathered.key
        self.boundAt = boundAt
        facts = gathered.facts
        productID = reading.spokesman.productID
        type = reading.spokesman.type
        kind = reading.kind
        anchor = reading.anchor
        quantity = reading.quantity
        share = reading.share
        worth = reading.worth
    }
}
