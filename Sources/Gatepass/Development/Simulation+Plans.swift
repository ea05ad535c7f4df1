import ArgumentParser
import EntitlementAPI
import Entitlements
import StoreSimulator

extension Simulation {
    /// Applies `act` to the subscription and delivers the event. `words` describes the subscription afterwards. Throws
    /// the exit status 1 if there is no subscription, the act does not fit it or the server refuses the event.
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

    /// An order for the period of `product` that begins at `start`. Throws if the product is not a plan.
    func order(
        _ product: String, from start: Int64, days: Int?, in catalogue: Catalogue
    ) throws -> SimulatedSubscription.Order {
        try PlanOnSale(product, in: catalogue).order(from: start, days: days)
    }

    /// Sells a plan to the user, or sells it again after it ended. Throws if an option has a wrong value, and the exit
    /// status 1 if the user is subscribed or the server refuses the event.
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

    /// A new chain, or the next period of the customer's ended chain.
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
    /// The period's product and end in words.
    var words: String { "\(productId) until \(RFC3339.text(of: Instant(milliseconds: expiresDate)))" }
}
