extension Moment {
    /// The product of the purchase, of a plan that of its present period.
    func product(_ index: Int) -> ProductID? { presentPeriods[index]?.productID ?? timeline.purchases[index].productID }

    /// The tier of the purchase, of a plan that of its present period; nil for a purchase without a tier.
    func tier(_ index: Int) -> TierID? {
        switch timeline.purchases[index].benefit {
        case .pass(let tier, _): tier.id
        case .plan: presentPeriods[index]?.tier.id
        case .recorded, .addOn, .credits: nil
        }
    }

    /// True if the last period of the present item renews; nil for a purchase that is no plan.
    ///
    /// A period does not renew once it was upgraded, revoked or handed over, or if the store says so. Past its end it
    /// renews only while its grace covers or the store still tries to charge for it.
    func willRenew(_ index: Int) -> Bool? {
        let purchase = timeline.purchases[index]
        guard let last = lastPeriod(index) else { return nil }
        guard last.mayRenew, isCurrent(last, of: purchase),
            last.renewal.map({ $0.willRenew && $0.end == nil }) ?? true
        else { return false }
        return at < last.endsAt || last.isInRetry(at: at) || isCovered(by: index)
    }

    /// The details that only the entitlement of a plan has; nil unless a store renews it.
    func planDetails(_ index: Int) -> PlanDetails? {
        let purchase = timeline.purchases[index]
        guard let last = lastPeriod(index), let product = last.productID, let present = presentPeriods[index] else {
            return nil
        }
        let renewal = isCurrent(last, of: purchase) ? last.renewal : nil
        let hasEnded = last.endsAt <= at && !isCovered(by: index)
        return PlanDetails(
            renewsAs: willRenew(index) == true ? follower(of: last, by: renewal, purchase.key) ?? product : nil,
            graceEndsAt: renewal == nil ? nil : last.grantedGraceEnd,
            isInBillingRetry: renewal != nil && last.isInRetry(at: at),
            expirationReason: hasEnded ? renewal?.end.map { PlanDetails.ExpirationReason($0) } : nil,
            priceConsent: renewal?.end == nil ? renewal?.priceConsent.map { PlanDetails.PriceConsent($0) } : nil,
            offer: present.offer, isTrial: present.isTrial)
    }

    /// The newest covering period of the highest tier; else the newest period begun by now, else the first.
    func presentPeriod(of purchase: Purchase) -> Window? {
        let covering = purchase.windows.filter { window in
            let parts = window.covered + window.grace(leewayHours: timeline.settings.renewalLeewayHours)
            return purchase.held(parts).contains { $0.startsAt <= at && $0.endsAt.map { at < $0 } ?? true }
        }
        let highest = covering.map(\.tier.rank).max()
        return newestBegun(of: covering.filter { $0.tier.rank == highest }) ?? newestBegun(of: purchase.windows)
            ?? purchase.windows.min { $0.beginsFirst < $1.beginsFirst }
    }

    /// The last period of the present period's item, whose renewal says what will follow.
    private func lastPeriod(_ index: Int) -> Window? {
        guard let present = presentPeriods[index] else { return nil }
        return timeline.purchases[index].windows.last { $0.item == present.item }
    }

    /// The period that began last, of several that began at once the last of `windows`; nil while none has begun.
    func newestBegun(of windows: [Window]) -> Window? {
        var newest: (window: Window, begun: Instant)?
        for window in windows {
            guard let begun = window.begun(by: at), newest.map({ $0.begun <= begun }) ?? true else { continue }
            newest = (window, begun)
        }
        return newest?.window
    }

    /// True if the state of the last period's renewal concerns this user: the period is not refunded, and still theirs.
    private func isCurrent(_ last: Window, of purchase: Purchase) -> Bool {
        last.revocations.share(at: at) == 0 && !purchase.isGone(at: at)
    }

    private func isCovered(by index: Int) -> Bool { pieces[index].contains { $0.covers(at) } }

    /// The product that a renewal names, as the catalogue calls it.
    private func follower(of last: Window, by renewal: VerifiedRenewal?, _ key: PurchaseKey) -> ProductID? {
        guard let name = renewal?.renewsInto else { return nil }
        let product = timeline.catalogue.product(
            named: [name], from: key.source, for: key.app, purchasedAt: last.endsAt)
        return product?.id ?? name
    }
}
