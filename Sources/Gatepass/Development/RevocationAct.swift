import AppStore
import Entitlements
import StoreSimulator

/// A refund, its reversal or the end of Family Sharing: a new state of something that the simulator sold.
struct RevocationAct {
    let options: DeliveryOptions
    let transaction: String?
    let route: EventDelivery.Route
    let catalogue: Catalogue
    /// Milliseconds since the epoch.
    let at: Int64

    /// Throws when `--at` is no instant, and the exit status 1 for a faulty catalogue.
    init(_ options: DeliveryOptions, _ transaction: String?, _ route: EventDelivery.Route) throws {
        self.options = options
        self.transaction = transaction
        self.route = route
        at = try options.simulation.instant()
        catalogue = try Startup(options.simulation.options).catalogueFile().catalogue
    }

    /// Changes the one-time purchase or the period and tells of it, `words` first. Throws `SimulatedSale.Failure` when
    /// there is none or the act does not fit, and what the delivery throws.
    func perform(
        _ words: String, purchase change: (inout SoldPurchase) throws -> NotificationType,
        period act: (inout SimulatedSubscription, String?) throws -> SimulatedEvent
    ) async throws {
        let installation = Installation(path: options.simulation.installation.dataDir)
        try installation.requireMade()
        switch try SimulatedSale.find(transaction, of: options.simulation.user, in: installation) {
        case .purchase(var sold):
            try SimulatedSale.require(at, after: sold.purchasedAt, "transaction \(sold.transactionID) was bought")
            let type = try change(&sold)
            sold.signedAt = max(at, sold.signedAt + 1)
            sold.delivered = sold.delivered || !options.simulation.printsOnly
            let named = "\(words) transaction \(sold.transactionID) (\(sold.product))"
            try await delivery(installation, sold.bundleID).deliver(
                named, SimulatedEvent(type, about: sold.transaction), by: route
            ) {
                try sold.keep(in: installation)
            }
        case .subscription(var kept):
            try SimulatedSale.require(at, after: kept.subscription.signedAt, "the newest text was signed")
            let event = try SimulatedSale.begun { try act(&kept.subscription, transaction) }
            let period = event.transaction.map { "\($0.transactionId) (\($0.productId))" } ?? ""
            try await delivery(installation, kept.subscription.buyer.bundleId).deliver(
                "\(words) transaction \(period)", event, by: route
            ) {
                try kept.keep(in: installation)
            }
        }
    }

    private func delivery(_ installation: Installation, _ bundleID: String) -> EventDelivery {
        EventDelivery(
            options: options, installation: installation,
            appleID: catalogue.apps.first { $0.id.text == bundleID }?.appleID)
    }
}
