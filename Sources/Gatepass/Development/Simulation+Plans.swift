import ArgumentParser
import EntitlementAPI
import Entitlements
import StoreSimulator

extension Simulation {
    /// Lets `act` happen to the subscription and tells of it in the words that `words` finds for it afterwards. Throws
    /// the exit status 1 when there is none, the act does not fit or the server refuses.
    func change(
        _ words: (SimulatedSubscription) -> String,
        _ act: (_ kept: inout KeptSubscription, _ catalogue: Catalogue) throws -> SimulatedEvent
    ) async throws {
        let catalogue = try catalogue()
        try await reporting {
            var kept = try SimulatedSale.subscription(options.transaction, of: user, in: installation)
            try SimulatedSale.require(at, after: kept.subscription.signedAt, "the newest text was signed")
            let event = try SimulatedSale.begun { try act(&kept, catalogue) }
            try await EventDelivery(self, catalogue).deliver(words(kept.subscription), event, by: route) {
                try kept.keep(in: installation)
            }
        }
    }

    /// The next period of `product` from `start` on, as the catalogue sells it. Throws when it is no plan.
    func order(
        _ product: String, from start: Int64, days: Int?, in catalogue: Catalogue
    ) throws -> SimulatedSubscription.Order {
        try PlanOnSale(product, in: catalogue).order(from: start, days: days)
    }

    /// Somebody buys a plan, or comes back to one. Throws when an option is none of what it should be, and the exit
    /// status 1 when the user is subscribed or the server refuses.
    func subscribe() async throws {
        let catalogue = try catalogue()
        let plan = try PlanOnSale(options.product, in: catalogue)
        let (environment, user) = (try environment(), try userID())
        _ = try givenToken()
        try await reporting {
            let customer = SimulatedSubscription.Buyer(
                bundleId: plan.app.id.text, subscriptionGroup: PlanOnSale.group, environment: environment,
                appAccountToken: try await accountToken(of: user),
                appTransactionId: SoldPurchase.appTransactionID(of: options.appleAccount ?? user.text),
                isFamilyMember: has(.familyShared))
            let order = plan.order(
                from: at, days: options.days, offer: has(.trial) ? .freeTrial(of: "P1W") : nil)
            let (subscription, event) = try begin(order, customer)
            let kept = KeptSubscription(user: user.text, days: options.days, subscription: subscription)
            try await EventDelivery(self, catalogue).deliver(
                "\(user.text) subscribed to \(subscription.newest.words)", event,
                by: has(.byNotification) || has(.byApp) ? route : .appAndNotification
            ) { try kept.keep(in: installation) }
        }
    }

    /// A chain of its own, or the next period of the one that the customer had and that has ended.
    private func begin(
        _ order: SimulatedSubscription.Order, _ customer: SimulatedSubscription.Buyer
    ) throws -> (SimulatedSubscription, SimulatedEvent) {
        guard var had = try KeptSubscription.find(nil, of: user, in: installation)?.subscription, had.buyer == customer
        else { return SimulatedSubscription.begin(order, by: customer, at: at) }
        guard had.phase == .ended else {
            throw SimulatedSale.Failure(
                description: "\(user) is subscribed to \(had.newest.words): upgrade, downgrade or expire that first")
        }
        try SimulatedSale.require(at, after: had.signedAt, "the newest text was signed")
        let event = try had.resubscribe(order, at: at)
        return (had, event)
    }
}

extension SimulatedSubscription.Period {
    /// Its product and its end, for people.
    var words: String { "\(productId) until \(RFC3339.text(of: Instant(milliseconds: expiresDate)))" }
}
