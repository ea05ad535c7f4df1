extension OperatorAct {
    /// The gift as the operator describes it.
    package enum Offer: Hashable, Sendable {
        case addDays(Int, of: TierID)
        case until(Instant, of: TierID)
        /// An add-on of the App Store's catalogue. The app is needed only if several apps sell a product with this id.
        case addOn(ProductID, app: AppID? = nil)
        case credits(Int, unit: String, expiresAt: Instant? = nil)
        /// A pass from now on that makes good a late pass. Its length is what is still paid of the late pass
        /// (`semantics.md` §6).
        case latePass(PurchaseKey)
        /// A pass that makes up for an outage (`semantics.md` §7).
        case outage(Outage)
    }

    /// Gives the user a grant with the id `id`. There is one grant for each id, and a repeat is answered with that
    /// grant (`semantics.md` §7). A caller that does not record the decision makes a dry run.
    package func give(
        _ offer: Offer, as id: ExternalID, given history: PurchaseHistory, in context: FoldContext
    ) -> Decision<Grant, OperatorRefusal> {
        let key = Grant.key(id)
        if let grant = history.ledger(of: user).grant(of: key) { return Decision(answer: .success(grant)) }
        switch gift(offer, given: history, in: context) {
        case .failure(let refusal): return Decision(answer: .failure(refusal))
        case .success(let gift):
            let grant = Grant(key: key, gift: gift, grantedAt: history.now)
            let drafts: [LedgerEntry.Draft] = [
                .init(.granted(grant), at: history.now, note: note), .init(.bound(key), at: history.now),
            ]
            return Decision(drafts: [user: drafts], answer: .success(grant))
        }
    }

    private func gift(
        _ offer: Offer, given history: PurchaseHistory, in context: FoldContext
    ) -> Result<Grant.Gift, OperatorRefusal> {
        let now = history.now
        if let refusal = offer.refusal(at: now, given: context.catalogue) { return .failure(refusal) }
        switch offer {
        case .addDays(let days, let tier):
            return .success(.pass(tier: tier, length: Pass.length(days: days, quantity: 1)))
        case .until(let endsAt, let tier): return .success(.window(tier: tier, endsAt: endsAt))
        case .addOn(let id, let app):
            return context.catalogue.inForce(at: now).catalogue.addOn(id, of: app).map { .addOn(id, app: $0) }
        case .credits(let amount, let unit, let expiresAt):
            return .success(.credits(unit: unit, amount: amount, expiresAt: expiresAt))
        case .latePass(let key): return history.timeline(of: user, in: context).restOfLatePass(key, at: now)
        case .outage(let outage):
            guard let had = history.timeline(of: user, in: context).tierHad(during: outage, by: now) else {
                return .failure(.notAffected)
            }
            let length = Int64(outage.hours) * Instant.millisecondsPerHour
            return .success(.pass(tier: outage.tier ?? had, length: length))
        }
    }
}

extension OperatorAct.Offer {
    /// Returns the reason why no user at all gets the gift, in order of precedence. Returns nil if there is none, or if
    /// it depends on the user or on the app that sells an add-on.
    package func refusal(at now: Instant, given catalogue: CatalogueVersions) -> OperatorRefusal? {
        let catalogue = catalogue.inForce(at: now).catalogue
        switch self {
        case .addDays(let days, let tier):
            guard catalogue.names(tier) else { return .unknownTier }
            return (1...CatalogueCheck.maximumDays).contains(days) ? nil : .daysOutOfRange
        case .until(let endsAt, let tier):
            guard catalogue.names(tier) else { return .unknownTier }
            return endsAt.isWritable(after: now) ? nil : .endOutOfRange
        case .credits(let amount, let unit, let expiresAt):
            guard catalogue.credits(unit) else { return .unknownUnit }
            guard (1...CatalogueCheck.maximumAmount).contains(amount) else { return .amountOutOfRange }
            return expiresAt.map { $0.isWritable(after: now) } ?? true ? nil : .expiryOutOfRange
        case .outage(let outage):
            if let tier = outage.tier, !catalogue.names(tier) { return .unknownTier }
            guard outage.startsAt < min(outage.endsAt, now) else { return .emptyOutage }
            return (1...OperatorAct.Outage.maximumHours).contains(outage.hours) ? nil : .hoursOutOfRange
        case .addOn, .latePass: return nil
        }
    }
}

extension Timeline {
    /// Returns a pass that makes good the late pass `key`. Its length is what is still paid of the late pass.
    fileprivate func restOfLatePass(_ key: PurchaseKey, at now: Instant) -> Result<Grant.Gift, OperatorRefusal> {
        guard let index = position(ofHeld: key) else { return .failure(.unknownPurchase) }
        guard case .pass(let tier, let length) = purchases[index].benefit,
            disposition(of: key, at: now) == .endedBeforeAttached
        else { return .failure(.notEndedBeforeAttached) }
        let paid = Pass.paidLength(of: length, refunded: purchases[index].share.share(at: now))
        return .success(.pass(tier: tier.id, length: paid))
    }
}

extension Catalogue {
    fileprivate func names(_ tier: TierID) -> Bool { tiers.contains { $0.id == tier } }

    fileprivate func credits(_ unit: String) -> Bool {
        products.contains { product in
            guard case .consumable(let credited, _, _) = product.terms else { return false }
            return credited == unit
        }
    }

    /// Returns the app that sells the add-on `id` through the App Store. If `app` is given, only that app is asked.
    /// Fails if no app sells the add-on, or several do.
    fileprivate func addOn(_ id: ProductID, of app: AppID?) -> Result<AppID, OperatorRefusal> {
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
