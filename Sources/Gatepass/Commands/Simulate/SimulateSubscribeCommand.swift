import AppStore
import ArgumentParser
import Entitlements
import StoreSimulator

/// `gatepass simulate subscribe`: somebody buys a plan, or comes back to one.
struct SimulateSubscribeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "subscribe", abstract: "Buy a plan; the app attaches it and Apple notifies.")

    @OptionGroup var delivery: DeliveryOptions

    @OptionGroup var route: RouteOptions

    @OptionGroup var buyer: BuyerOptions

    @Option(help: "The plan (default: the first of the catalogue).")
    var product: String?

    @Option(help: "The length of each period in days (default: the plan's own month or year).")
    var days: Int?

    @Flag(help: "The first period is a free trial.")
    var trial = false

    /// Throws when an option is none of what it should be, and the exit status 1 when the user is subscribed or the
    /// server refuses.
    func run() async throws {
        guard !route.byApp || !buyer.byNotification else {
            throw ValidationError("--by-app and --by-notification exclude each other")
        }
        guard days.map({ $0 > 0 }) ?? true else { throw ValidationError("--days: write 1 or more") }
        let act = try SubscriptionAct(delivery, nil)
        let plan = try PlanOnSale(product, in: act.catalogue)
        let installation = Installation(path: delivery.simulation.installation.dataDir)
        let (environment, user) = (try buyer.environment.chosen(), try delivery.simulation.userID())
        _ = try buyer.givenToken()
        try await Startup.reporting {
            try installation.requireMade()
            let token = try await buyer.token(of: user, from: installation)
            let account = SoldPurchase.appTransactionID(of: buyer.appleAccount ?? user.text)
            let customer = SimulatedSubscription.Buyer(
                bundleId: plan.app.id.text, subscriptionGroup: PlanOnSale.group, environment: environment,
                appAccountToken: token, appTransactionId: account, isFamilyMember: buyer.familyShared)
            try await subscribe(customer, to: plan, act, installation)
        }
    }

    private func subscribe(
        _ customer: SimulatedSubscription.Buyer, to plan: PlanOnSale, _ act: SubscriptionAct,
        _ installation: Installation
    ) async throws {
        let order = try act.order(
            plan.product, from: act.at, days: days, offer: trial ? .freeTrial(of: "P1W") : nil)
        let (kept, event) = try begin(order, customer, at: act.at, installation)
        let delivery = EventDelivery(options: delivery, installation: installation, appleID: plan.app.appleID)
        let route: EventDelivery.Route = buyer.byNotification ? .notification : route.byApp ? .app : .appAndNotification
        try await delivery.deliver("\(kept.user) subscribed to \(kept.subscription.newest.words)", event, by: route) {
            try kept.keep(in: installation)
        }
    }

    /// A chain of its own, or the next period of the one that the customer had and that has ended.
    private func begin(
        _ order: SimulatedSubscription.Order, _ customer: SimulatedSubscription.Buyer, at instant: Int64,
        _ installation: Installation
    ) throws -> (KeptSubscription, SimulatedEvent) {
        let user = delivery.simulation.user
        if var kept = try KeptSubscription.find(nil, of: user, in: installation), kept.subscription.buyer == customer {
            guard kept.subscription.phase == .ended else {
                throw SimulatedSale.Failure(
                    description: "\(user) is subscribed to \(kept.subscription.newest.words): upgrade, downgrade or "
                        + "expire that first")
            }
            try SimulatedSale.require(instant, after: kept.subscription.signedAt, "the newest text was signed")
            let event = try kept.subscription.resubscribe(order, at: instant)
            return (KeptSubscription(user: user, days: days, subscription: kept.subscription), event)
        }
        let (subscription, event) = SimulatedSubscription.begin(order, by: customer, at: instant)
        return (KeptSubscription(user: user, days: days, subscription: subscription), event)
    }
}
