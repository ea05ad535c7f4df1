/// A version of what is sold: its apps, lanes, tiers, products and ownership policies.
///
/// A `Catalogue` may hold mistakes; `CatalogueCheck` finds them before the version comes into force.
package struct Catalogue: Hashable, Sendable {
    /// An app that sells through a store.
    package struct App: Hashable, Sendable {
        package let id: AppID
        /// The number that Apple gives the app. A text of Production that states a number must state this one.
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

/// The policies, by kind, about a purchase that a user attaches while another living user has it (`semantics.md` §5,
/// rule 2).
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
