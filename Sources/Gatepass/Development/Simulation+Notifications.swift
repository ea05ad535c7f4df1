import AppStore
import ArgumentParser
import Entitlements
import Foundation
import LedgerStore
import StoreSimulator

extension Simulation {
    /// Asks as Apple does before it decides on a refund, and prints what the server tells Apple, or why it tells
    /// nothing. Throws the exit status 1 if there is no sale, or if the server refuses the notification.
    func requestConsumption() async throws {
        var transaction: String?
        try await notify(NotificationType.consumptionRequest.rawValue) { transaction = $0 }
        guard let transaction, !has(.print), !has(.hold), !has(.json) else { return }
        for _ in 0..<Self.looks {
            if let told = try ToldText.all(about: transaction, in: installation).last(where: { $0.at >= at }) {
                return print("Apple was told: \(told.body)")
            }
            try await Task.sleep(for: .milliseconds(200))
        }
        let user = try userID()
        try await reporting(tellsServer: false) { print(try await silence(about: transaction, of: user)) }
    }

    /// The reason why Apple was told nothing, in a sentence. Throws if the server's database cannot be read.
    private func silence(about transaction: String, of user: UserID) async throws -> String {
        let target = try Target(dataDir: installation.directory.path, settings: [])
        let startup = try Startup(options.installation.options, for: target)
        let asked = try await startup.withPool { try await OperatorReader(pool: $0).consumptionRequests(about: user) }
        guard let silence = asked.first(where: { $0.question.transaction.text == transaction })?.silence else {
            return "Apple was told nothing yet: GET /api/admin/consumption-requests lists what is open"
        }
        let remedy = "; the app says that they do with PUT /api/iap/apple/consumption-consent"
        return "Apple was told nothing, because \(silence.words)" + (silence == .noConsent ? remedy : "")
    }

    /// How often the story looks for an answer, five times a second. A server takes its jobs every second.
    private static let looks = 25

    /// Sends a notification of any type, known or not, about the newest state of a sale. Throws the exit status 1 if
    /// there is no sale for it, or if the server refuses it.
    ///
    /// - Parameter tell: Gets the id of the transaction that it is about, before it is sent.
    func notify(_ subject: String, _ tell: (String) -> Void = { _ in }) async throws {
        let catalogue = try catalogue()
        let environment = try environment()
        guard let app = catalogue.apps.first else { throw ValidationError("the catalogue has no app") }
        try await reporting {
            let blank = SimulatedEvent(
                NotificationType(rawValue: subject), options.subtype.map(NotificationSubtype.init(rawValue:)),
                bundleId: app.id.text, environment: environment, at: at)
            let content = try content(of: blank, installation.authority())
            var sent = blank
            var keep: () throws -> Void = {}
            if content == nil, blank.notificationType != .test { (sent, keep) = try await event(like: blank) }
            let name = [subject, options.subtype].compactMap { $0 }.joined(separator: " ")
            if let transaction = sent.transaction { tell(transaction.transactionId) }
            let about = sent.transaction.map { " about transaction \($0.transactionId) (\($0.productId))" } ?? ""
            try await EventDelivery(self, catalogue).deliver(
                "Notified \(name)\(about)", sent, containing: content, keep: keep)
        }
    }

    /// The content of a notification that is about no purchase; nil for all other types.
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
            download.appTransactionId = SoldPurchase.appTransactionID(of: user)
            return .appData(appTransaction: try authority.sign(download).text)
        default: return nil
        }
    }

    /// An event with the type of `blank` about the newest state of the sale. `keep` stores the time at which this state
    /// was signed.
    private func event(like blank: SimulatedEvent) async throws -> (SimulatedEvent, keep: () throws -> Void) {
        var event: SimulatedEvent
        let keep: () throws -> Void
        switch try await sale() {
        case .purchase(var sold):
            try SimulatedSale.require(at, after: sold.purchasedAt, "transaction \(sold.transactionID) was bought")
            sold.signedAt = max(at, sold.signedAt + 1)
            event = SimulatedEvent(blank.notificationType, blank.subtype, about: sold.transaction)
            let signed = sold
            keep = { try signed.keep(in: installation) }
        case .subscription(var kept):
            try SimulatedSale.require(at, after: kept.subscription.signedAt, "the newest text was signed")
            event = try kept.subscription.notify(
                blank.notificationType, blank.subtype, of: options.transaction, at: at)
            let signed = kept
            keep = { try signed.keep(in: installation) }
        }
        if blank.notificationType == .consumptionRequest {
            event.consumptionRequestReason =
                options.reason.map(ConsumptionRequestReason.init(rawValue:)) ?? .unintendedPurchase
        }
        return (event, keep)
    }
}
