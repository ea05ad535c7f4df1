/// A version of what is sold: its apps, lanes, tiers, products and ownership policies.
///
/// A `Catalogue` may hold mistakes; `CatalogueCheck` finds them before the version comes into force.
package struct Catalogue: Hashable, Sendable {
    /// An app that sells through a store.
    package struct App: Hashable, Sendable {
        package let id: AppID
        /// Apple's number of the app; nil if it is not checked. A notification or app transaction of Production must
        /// state this number.
        package let appleID: Int64?

        package init(id: AppID, appleID: Int64? = nil) {
            self.id = id
            self.appleID = appleID
        }
    }

    package let apps: [App]
    package let defaultTier: TierID?
    package let lanes: [Lane]
    package let tiers: [Tier]
    package let ownership: OwnershipPolicies
    package let products: [Product]

    package init(
        apps: [App], defaultTier: TierID? = nil, lanes: [Lane] = [Lane(id: .main)], tiers: [Tier],
        ownership: OwnershipPolicies = OwnershipPolicies(), products: [Product]
    ) {
        self.apps = apps
        self.defaultTier = defaultTier
        self.lanes = lanes
        self.tiers = tiers
        self.ownership = ownership
        self.products = products
    }
}

/// The policy of each product kind: what happens if a user attaches a purchase that another user has, who was not
/// erased (`semantics.md` §5, rule 2).
package struct OwnershipPolicies: Hashable, Sendable {
    /// A policy; the raw value is what the catalogue file writes.
    package enum Policy: String, Hashable, Sendable, CaseIterable {
        case keep
        case transfer
        case transferIfInactive = "transfer_if_inactive"
    }

    private let policies: [ProductKind: Policy]

    /// Makes the policies. A kind that is not named has the policy `keep`.
    package init(_ policies: [ProductKind: Policy] = [:]) {
        self.policies = policies
    }

    package subscript(kind: ProductKind) -> Policy {
        policies[kind] ?? .keep
    }
}
