import EntitlementAPI
import Entitlements
import StoreSimulator

/// Something that happens to a subscription that the simulator sold.
struct SubscriptionAct {
    let options: DeliveryOptions
    let transaction: String?
    let catalogue: Catalogue
    /// Milliseconds since the epoch.
    let at: Int64

    /// Throws when `--at` is no instant, and the exit status 1 for a faulty catalogue.
    init(_ options: DeliveryOptions, _ transaction: String?) throws {
        self.options = options
        self.transaction = transaction
        at = try options.simulation.instant()
        catalogue = try Startup(options.simulation.options).catalogueFile().catalogue
    }

    /// Lets `act` happen to the subscription and tells of it in the words that `words` finds for it afterwards. Throws
    /// `SimulatedSale.Failure` when there is no subscription, `SimulatedSubscription.Refusal` when it does not fit, and
    /// what the delivery throws.
    func perform(
        by route: EventDelivery.Route = .notification, _ words: (SimulatedSubscription) -> String,
        _ act: (inout KeptSubscription) throws -> SimulatedEvent
    ) async throws {
        let installation = Installation(path: options.simulation.installation.dataDir)
        try installation.requireMade()
        var kept = try SimulatedSale.subscription(transaction, of: options.simulation.user, in: installation)
        try SimulatedSale.require(at, after: kept.subscription.signedAt, "the newest text was signed")
        let event = try SimulatedSale.begun { try act(&kept) }
        let bundleID = kept.subscription.buyer.bundleId
        let delivery = EventDelivery(
            options: options, installation: installation,
            appleID: catalogue.apps.first { $0.id.text == bundleID }?.appleID)
        try await delivery.deliver(words(kept.subscription), event, by: route) { try kept.keep(in: installation) }
    }

    /// The next period of `product` from `start` on, as the catalogue sells it. Throws when it is no plan.
    func order(
        _ product: String, from start: Int64, days: Int?, offer: SimulatedOffer? = nil
    ) throws -> SimulatedSubscription.Order {
        try PlanOnSale(product, in: catalogue).order(from: start, days: days, offer: offer)
    }
}

extension SimulatedSubscription.Period {
    /// Its product and its end, for people.
    var words: String { "\(productId) until \(RFC3339.text(of: Instant(milliseconds: expiresDate)))" }
}
