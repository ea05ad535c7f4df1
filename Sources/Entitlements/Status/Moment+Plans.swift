extension Moment {
    /// Of a plan that of its present period.
    func product(of purchase: Purchase) -> ProductID? {
        presentPeriod(of: purchase)?.productID ?? purchase.productID
    }

    /// The same of its tier; nil for what has none.
    func tier(of purchase: Purchase) -> TierID? {
        switch purchase.worth {
        case .pass(let tier, _): tier.id
        case .plan: presentPeriod(of: purchase)?.tier.id
        case .recorded, .addOn, .credits: nil
        }
    }

    /// A chain's last period renews unless it was upgraded, revoked or handed over, the store says otherwise, or it has
    /// run past its grace and is not charged for any more; nil for what is no plan.
    func willRenew(_ index: Int) -> Bool? {
        let purchase = timeline.purchases[index]
        guard let last = purchase.windows.last else { return nil }
        guard last.mayRenew, isCurrent(last, of: purchase),
            last.renewal.map({ $0.willRenew && $0.end == nil }) ?? true
        else { return false }
        return at < last.endsAt || last.isInRetry(at: at) || isCovered(by: index)
    }

    /// What the entitlement of a plan says beside the others; nil unless a store renews it.
    func planDetails(_ index: Int) -> PlanDetails? {
        let purchase = timeline.purchases[index]
        guard let last = purchase.windows.last, let product = last.productID,
            let present = presentPeriod(of: purchase)
        else { return nil }
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

    /// The newest period begun by now, else the first.
    private func presentPeriod(of purchase: Purchase) -> Window? {
        purchase.windows.last { $0.startsAt <= at } ?? purchase.windows.first
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
