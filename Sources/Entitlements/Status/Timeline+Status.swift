extension Timeline {
    /// Returns the status of the user at `at`. If `at` lies ahead, the status counts what is planned from known facts
    /// (`semantics.md` §1).
    ///
    /// Without coverage the default tier of the catalogue gives its features, limits and seats, but `active` is false.
    /// The explanation is empty unless `explains` is true.
    package func status(at: Instant, explains: Bool = true) -> Status {
        let moment = Moment(of: self, at: at)
        let reach = moment.reach
        return Status(
            user: user, isKnown: isKnown, at: at, active: moment.top != nil, tier: moment.tier?.id,
            tierRank: moment.tier?.rank,
            expiresAt: reach.expiresAt, accessExpiresAt: reach.accessExpiresAt, state: moment.state,
            deciding: moment.decidingPurchase, features: moment.features, limits: moment.limits,
            entitlements: moment.entitlements,
            segments: moment.coverage.map(\.segment), addOns: moment.addOns, credits: moment.credits,
            devices: deviceSeats(at: at), introductoryOffers: moment.introductoryOffers,
            explanation: explains ? moment.explanation : [], settings: settings)
    }

    /// Returns the entitlement and explanation at `at` of each of the user's purchases in `keys`. Other purchases are
    /// not computed.
    package func explained(_ keys: Set<PurchaseKey>, at: Instant) -> [PurchaseKey: ExplainedPurchase] {
        let moment = Moment(of: self, at: at)
        var explained: [PurchaseKey: ExplainedPurchase] = [:]
        for (index, purchase) in purchases.enumerated() where keys.contains(purchase.key) {
            explained[purchase.key] = ExplainedPurchase(
                entitlement: moment.entitlement(index), explanation: moment.explanation(index))
        }
        return explained
    }
}
