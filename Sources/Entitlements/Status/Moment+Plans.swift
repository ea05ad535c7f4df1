extension Moment {
    /// Returns the product of the purchase; for a plan, the product of its present period.
    func product(_ index: Int) -> ProductID? { presentPeriods[index]?.productID ?? timeline.purchases[index].productID }

    /// Returns the tier of a pass, or of the present period of a plan; nil for any other purchase.
    func tier(_ index: Int) -> TierID? {
        switch timeline.purchases[index].benefit {
        case .pass(let tier, _): tier.id
        case .plan: presentPeriods[index]?.tier.id
        case .recorded, .addOn, .credits: nil
        }
    }

    /// Returns true if the plan renews, by the last period of its present item; nil for a purchase that is no plan.
    ///
    /// A period does not renew once it was upgraded, revoked or transferred, or if the store says that it does not.
    /// After its end it renews only while its grace or leeway covers or the store retries the payment.
    func willRenew(_ index: Int) -> Bool? {
        let purchase = timeline.purchases[index]
        guard let last = lastPeriod(index) else { return nil }
        guard last.mayRenew, isCurrent(last, of: purchase),
            last.renewal(at: at)?.mayFollow ?? true
        else { return false }
        return at < last.endsAt || last.isInRetry(at: at) || isCovered(by: index)
    }

    /// Returns the details of a plan that a store renews; nil for any other purchase.
    func planDetails(_ index: Int) -> PlanDetails? {
        let purchase = timeline.purchases[index]
        guard let last = lastPeriod(index), let product = last.productID, let present = presentPeriods[index] else {
            return nil
        }
        let renewal = isCurrent(last, of: purchase) ? last.renewal(at: at) : nil
        let hasEnded = last.endsAt <= at && !isCovered(by: index)
        // After the end of a period that another one followed, the store granted and retried by what it said then.
        let begun = newestBegun(of: purchase.windows.filter { $0.item == present.item })
        let ended = begun.flatMap { $0.endsAt <= at ? $0 : nil } ?? last
        let isEndCurrent = ended.renewal(at: at) != nil && isCurrent(ended, of: purchase)
        return PlanDetails(
            renewsAs: willRenew(index) == true ? follower(of: last, by: renewal, purchase.key) ?? product : nil,
            graceEndsAt: isEndCurrent ? ended.grantedGraceEnd(at: at) : nil,
            isInBillingRetry: isEndCurrent && ended.isInRetry(at: at),
            expirationReason: hasEnded ? renewal?.end.map { PlanDetails.ExpirationReason($0) } : nil,
            priceConsent: renewal?.hasEnded == false ? renewal?.priceConsent.map { PlanDetails.PriceConsent($0) } : nil,
            offer: present.offer, isTrial: present.isTrial)
    }

    /// Returns the present period of a plan: of the periods of the highest tier that cover now, the newest. If none
    /// covers now, it is the newest that has begun, else the first.
    func presentPeriod(_ index: Int) -> Window? {
        let windows = timeline.purchases[index].windows
        let covering = pieces[index].filter { $0.covers(at) }.compactMap(\.window).sorted().map { windows[$0] }
        let highest = covering.map(\.tier.rank).max()
        return newestBegun(of: covering.filter { $0.tier.rank == highest }) ?? newestBegun(of: windows)
            ?? windows.min { $0.beginsFirst < $1.beginsFirst }
    }

    /// Returns the last period of the present period's item; its renewal says what follows.
    private func lastPeriod(_ index: Int) -> Window? {
        guard let present = presentPeriods[index] else { return nil }
        return timeline.purchases[index].windows.last { $0.item == present.item }
    }

    /// Returns the window that began last; of several that began at one instant, the last in `windows`. Nil if none has
    /// begun.
    func newestBegun(of windows: [Window]) -> Window? {
        var newest: (window: Window, begun: Instant)?
        for window in windows {
            guard let begun = window.begun(by: at), newest.map({ $0.begun <= begun }) ?? true else { continue }
            newest = (window, begun)
        }
        return newest?.window
    }

    /// True if the renewal of the last period concerns this user: the period is not refunded, and the user has the
    /// purchase.
    private func isCurrent(_ last: Window, of purchase: Purchase) -> Bool {
        last.revocations.share(at: at) == 0 && !purchase.isGone(at: at)
    }

    private func isCovered(by index: Int) -> Bool { pieces[index].contains { $0.covers(at) } }

    /// Returns the catalogue's id of the product that the renewal names; the store's own name if no version knows the
    /// product; nil if the renewal names none.
    private func follower(of last: Window, by renewal: VerifiedRenewal?, _ key: PurchaseKey) -> ProductID? {
        guard let name = renewal?.renewsInto else { return nil }
        let product = timeline.catalogue.product(
            named: [name], from: key.source, for: key.app, purchasedAt: last.endsAt)
        return product?.id ?? name
    }
}
