/// An operator gives something to a user (`semantics.md` §7).
///
/// Repeat is safe because the grant's id is handed in: the second time nothing is appended and the answer is the first.
package struct GiveGrant: Sendable {
    /// The gift in the operator's words.
    package enum Offer: Hashable, Sendable {
        case addDays(Int, of: TierID)
        case until(Instant, of: TierID)
        /// The app is needed only where several sell a product of that id.
        case addOn(ProductID, app: AppID? = nil)
        case credits(Int, unit: String, expiresAt: Instant? = nil)
    }

    package let id: ExternalID
    package let offer: Offer
    package let user: UserID
    package let note: Note
    package let catalogue: CatalogueVersions

    package init(
        _ offer: Offer, as id: ExternalID, to user: UserID, note: Note, from catalogue: CatalogueVersions
    ) {
        self.offer = offer
        self.id = id
        self.user = user
        self.note = note
        self.catalogue = catalogue
    }

    package func decide(given history: PurchaseHistory) -> Decision<Grant, GrantRefusal> {
        let key = Grant.key(id)
        if let grant = history.ledger(of: user).grant(of: key) { return Decision(answer: .success(grant)) }
        return switch gift(at: history.now) {
        case .success(let gift): .giving(Grant(key: key, gift: gift, grantedAt: history.now), to: user, note: note)
        case .failure(let refusal): Decision(answer: .failure(refusal))
        }
    }

    private func gift(at now: Instant) -> Result<Grant.Gift, GrantRefusal> {
        let catalogue = catalogue.inForce(at: now).catalogue
        switch offer {
        case .addDays(let days, let tier):
            guard catalogue.names(tier) else { return .failure(.unknownTier) }
            guard (1...CatalogueCheck.maximumDays).contains(days) else { return .failure(.amountOutOfRange) }
            return .success(.pass(tier: tier, length: Pass.length(days: days, quantity: 1)))
        case .until(let endsAt, let tier):
            guard catalogue.names(tier) else { return .failure(.unknownTier) }
            guard endsAt.isWritable(after: now) else { return .failure(.endOutOfRange) }
            return .success(.window(tier: tier, endsAt: endsAt))
        case .addOn(let id, let app):
            return catalogue.addOn(id, of: app).map { .addOn(id, app: $0) }
        case .credits(let amount, let unit, let expiresAt):
            guard catalogue.credits(unit) else { return .failure(.unknownUnit) }
            guard (1...CatalogueCheck.maximumAmount).contains(amount) else { return .failure(.amountOutOfRange) }
            guard expiresAt.map({ $0.isWritable(after: now) }) ?? true else { return .failure(.endOutOfRange) }
            return .success(.credits(unit: unit, amount: amount, expiresAt: expiresAt))
        }
    }
}

/// Why nothing was granted, in order of precedence; the raw value is the problem's code.
package enum GrantRefusal: String, Error, Hashable, Sendable, CaseIterable {
    /// The catalogue in force names no such tier.
    case unknownTier = "unknown_tier"
    case unknownProduct = "unknown_product"
    /// The product is no add-on.
    case notAnAddOn = "not_an_add_on"
    /// Several apps sell an add-on of that id.
    case ambiguousProduct = "ambiguous_product"
    /// No consumable of the catalogue in force credits the unit.
    case unknownUnit = "unknown_unit"
    /// The days, or the units.
    case amountOutOfRange = "amount_out_of_range"
    /// The end lies in the past, or beyond the dates that can be written.
    case endOutOfRange = "end_out_of_range"
}

extension Decision {
    /// A grant enters the user's ledger, and is theirs.
    static func giving(_ grant: Reply, to user: UserID, note: Note) -> Decision where Reply == Grant {
        Decision(drafts: [user: grant.drafts(note: note)], answer: .success(grant))
    }
}

extension Grant {
    /// The entries that give it to a user.
    func drafts(note: Note) -> [LedgerEntry.Draft] {
        [.init(.granted(self), at: grantedAt, note: note), .init(.bound(key), at: grantedAt)]
    }
}

extension Catalogue {
    func names(_ tier: TierID) -> Bool { tiers.contains { $0.id == tier } }

    fileprivate func credits(_ unit: String) -> Bool {
        products.contains { product in
            guard case .consumable(let credited, _, _) = product.terms else { return false }
            return credited == unit
        }
    }

    /// The app that sells the App Store's add-on `id`: `app` itself if it does, or the only one.
    fileprivate func addOn(_ id: ProductID, of app: AppID?) -> Result<AppID, GrantRefusal> {
        let named = products.filter { product in
            product.id == id && product.source == .appleIAP && app.map { $0 == product.app } ?? true
        }
        guard !named.isEmpty else { return .failure(.unknownProduct) }
        let addOns = named.filter { $0.terms.kind == .addOn }
        guard let first = addOns.first else { return .failure(.notAnAddOn) }
        return addOns.count == 1 ? .success(first.app) : .failure(.ambiguousProduct)
    }
}

extension Instant {
    fileprivate func isWritable(after now: Instant) -> Bool { now < self && self <= .distantFuture }
}
