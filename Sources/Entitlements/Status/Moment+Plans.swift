extension Moment {
    /// Of a plan that of its present period.
    func product(_ index: Int) -> ProductID? { presentPeriods[index]?.productID ?? timeline.purchases[index].productID }

    /// The same of its tier; nil for what has none.
    func tier(_ index: Int) -> TierID? {
        switch timeline.purchases[index].worth {
        case .pass(let tier, _): tier.id
        case .plan: presentPeriods[index]?.tier.id
        case .recorded, .addOn, .credits: nil
        }
    }

    /// The last period of what is told of a chain renews unless it was upgraded, revoked or handed over, the store says
    /// otherwise, or it has run past its grace and is not charged for any more; nil for what is no plan.
    func willRenew(_ index: Int) -> Bool? {
        let purchase = timeline.purchases[index]
        guard let last = lastPeriod(index) else { return nil }
        guard last.mayRenew, isCurrent(last, of: purchase),
            last.renewal.map({ $0.willRenew && $0.end == nil }) ?? true
        else { return false }
        return at < last.endsAt || last.isInRetry(at: at) || isCovered(by: index)
    }

    /// What the entitlement of a plan says beside the others; nil unless a store renews it.
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

    /// Of what covers now the newest of the highest tier; else the newest period begun by now, else the first.
    func presentPeriod(of purchase: Purchase) -> Window? {
        let covering = purchase.windows.filter { window in
            let parts = window.covered + window.grace(leewayHours: timeline.settings.renewalLeewayHours)
            return purchase.held(parts).contains { $0.startsAt <= at && $0.endsAt.map { at < $0 } ?? true }
        }
        let highest = covering.map(\.tier.rank).max()
        return newestBegun(of: covering.filter { $0.tier.rank == highest }) ?? newestBegun(of: purchase.windows)
            ?? purchase.windows.min { $0.beginsFirst < $1.beginsFirst }
    }

    /// What says what will follow: of several things in one purchase the one that is told of it.
    private func lastPeriod(_ index: Int) -> Window? {
        guard let present = presentPeriods[index] else { return nil }
        return timeline.purchases[index].windows.last { $0.item == present.item }
    }

    /// Of those that began at once the last; nil while none has begun.
    func newestBegun(of windows: [Window]) -> Window? {
        var newest: (window: Window, begun: Instant)?
        for window in windows {
            guard let begun = window.begun(by: at), newest.map({ $0.begun <= begun }) ?? true else { continue }
            newest = (window, begun)
        }
        return newest?.window
    }

    /// Whether what is known of the last period's renewal concerns this user: it is not refunded, and still theirs.
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
