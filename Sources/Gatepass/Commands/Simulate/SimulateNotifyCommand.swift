import AppStore
import ArgumentParser
import Entitlements
import StoreSimulator

/// `gatepass simulate notify`: any notification about what was sold, as it stands; known types and others.
struct SimulateNotifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notify", abstract: "Send a notification of any type about a purchase or plan as it stands.")

    @Argument(help: "The type, such as TEST, ONE_TIME_CHARGE, CONSUMPTION_REQUEST or REFUND_DECLINED.")
    var type: String

    @Option(help: "The subtype (default: none).")
    var subtype: String?

    @OptionGroup var delivery: DeliveryOptions

    @Option(help: "The transaction (default: the user's newest that was delivered).")
    var transaction: String?

    @Option(help: "The consumptionRequestReason of a CONSUMPTION_REQUEST.")
    var reason = ConsumptionRequestReason.unintendedPurchase.rawValue

    @OptionGroup var environment: EnvironmentOptions

    /// Throws the exit status 1 when nothing was sold that it could be about, or the server refuses.
    func run() async throws {
        let at = try delivery.simulation.instant()
        let catalogue = try Startup(delivery.simulation.options).catalogueFile().catalogue
        let environment = try environment.chosen()
        guard let app = catalogue.apps.first else { throw ValidationError("the catalogue has no app") }
        let installation = Installation(path: delivery.simulation.installation.dataDir)
        try await Startup.reporting {
            try installation.requireMade()
            let blank = SimulatedEvent(
                NotificationType(rawValue: type), subtype.map(NotificationSubtype.init(rawValue:)),
                bundleId: app.id.text, environment: environment, at: at)
            let content = try content(of: blank, installation.authority())
            var sent = blank
            var keep: () throws -> Void = {}
            if content == nil, blank.notificationType != .test {
                (sent, keep) = try event(at: at, installation)
            }
            let appleID = catalogue.apps.first { $0.id.text == sent.bundleId }?.appleID
            let notification = content.map {
                sent.notification(
                    about: $0, uuid: Surroundings.accountToken().description.lowercased(), appAppleId: appleID)
            }
            let name = [type, subtype].compactMap { $0 }.joined(separator: " ")
            let about = sent.transaction.map { " about transaction \($0.transactionId) (\($0.productId))" } ?? ""
            try await EventDelivery(options: delivery, installation: installation, appleID: appleID)
                .deliver("Notified \(name)\(about)", sent, of: notification, keep: keep)
        }
    }

    /// The container of a type that is about no purchase; nil for all others.
    private func content(
        of event: SimulatedEvent, _ authority: DevelopmentAuthority
    ) throws -> SimulatedNotification.Content? {
        switch (event.notificationType, event.subtype) {
        case (.renewalExtension, .summary?):
            return .summary(productId: "any", requestIdentifier: Surroundings.id(), succeeded: 1, failed: 0)
        case (.externalPurchaseToken, _):
            let prefix = event.environment == .sandbox ? "SANDBOX_" : ""
            return .externalPurchaseToken(id: prefix + Surroundings.id(), createdAt: event.signedDate)
        case (.rescindConsent, _):
            var download = SimulatedAppTransaction(bundleId: event.bundleId, at: event.signedDate)
            download.environment = event.environment
            download.appTransactionId = SoldPurchase.appTransactionID(of: delivery.simulation.user)
            return .appData(appTransaction: try authority.sign(download).text)
        default: return nil
        }
    }

    /// The event about what was sold, and what keeps that its newest text was signed then.
    private func event(
        at instant: Int64, _ installation: Installation
    ) throws -> (SimulatedEvent, keep: () throws -> Void) {
        let (type, subtype) = (NotificationType(rawValue: type), subtype.map(NotificationSubtype.init(rawValue:)))
        var event: SimulatedEvent
        let keep: () throws -> Void
        switch try SimulatedSale.find(transaction, of: delivery.simulation.user, in: installation) {
        case .purchase(var sold):
            try SimulatedSale.require(instant, after: sold.purchasedAt, "transaction \(sold.transactionID) was bought")
            sold.signedAt = max(instant, sold.signedAt + 1)
            event = SimulatedEvent(type, subtype, about: sold.transaction)
            let signed = sold
            keep = { try signed.keep(in: installation) }
        case .subscription(var kept):
            try SimulatedSale.require(instant, after: kept.subscription.signedAt, "the newest text was signed")
            event = try kept.subscription.notify(type, subtype, of: transaction, at: instant)
            let signed = kept
            keep = { try signed.keep(in: installation) }
        }
        if type == .consumptionRequest { event.consumptionRequestReason = ConsumptionRequestReason(rawValue: reason) }
        return (event, keep)
    }
}
