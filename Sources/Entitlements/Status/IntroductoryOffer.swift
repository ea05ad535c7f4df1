/// An answer to whether the user may still buy by the introductory offer of a subscription group of the App Store
/// (`semantics.md` §7).
package struct IntroductoryOffer: Hashable, Sendable {
    package let subscriptionGroup: String
    /// True if no subscription of the group covers or is retried, and no purchase of the user that is known here was
    /// sold by an introductory offer of the group.
    package let isOpen: Bool
}

extension Moment {
    /// The introductory offers of the groups that the catalogue names, and of those that the user's purchases name, in
    /// ascending order of the group.
    var introductoryOffers: [IntroductoryOffer] {
        var groups = Dictionary(
            catalogue.products.compactMap(\.subscriptionGroup).map { ($0, true) }, uniquingKeysWith: { $1 })
        for (purchase, doing) in zip(timeline.purchases, doings) where timeline.counts(purchase.key.environment) {
            let runs = [.running, .grace, .billingRetry].contains(doing.state)
            groups.merge(purchase.subscriptionGroups.mapValues { !$0 && !runs }) { $0 && $1 }
        }
        return groups.map { IntroductoryOffer(subscriptionGroup: $0.key, isOpen: $0.value) }
            .sorted { $0.subscriptionGroup.utf8.lexicographicallyPrecedes($1.subscriptionGroup.utf8) }
    }
}
