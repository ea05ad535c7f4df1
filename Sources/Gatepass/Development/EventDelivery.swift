import AppStore
import Entitlements
import Foundation
import StoreSimulator

/// Delivers an event of the simulated store to the running server, and prints the result.
struct EventDelivery {
    /// The way in which the server learns of the event.
    enum Route {
        /// The App Store sends a notification.
        case notification
        /// The user's app attaches the transaction.
        case app
        /// The app attaches the transaction, then the App Store sends its notification, as for a real purchase.
        case appAndNotification
    }

    /// The server's response to one delivery, and the route of the delivery.
    private struct Response {
        let route: String
        /// The server's answer; nil if there was none.
        let answer: RunningServer.Answer?
        /// True if the server accepted the event, or if the store will deliver it again.
        let isTaken: Bool
        let result: String

        /// The response to the app's attach.
        init(_ answer: RunningServer.Answer) {
            route = "app"
            self.answer = answer
            isTaken = answer.isOK
            result = NotificationAnswer(answer, nextAttempt: nil).words
        }

        /// The response to a notification; nil means that the notification is held back.
        init(_ answer: NotificationAnswer?) {
            route = "notification"
            self.answer = answer?.answer
            isTaken = answer.map { $0.answer?.isOK == true || $0.nextAttempt != nil } ?? true
            result = answer?.words ?? "held back"
        }

        var document: [String: Any] {
            let members: [String: Any?] = [
                "by": route, "status": answer?.status, "answer": answer?.members, "result": result,
            ]
            return members.compactMapValues { $0 }
        }

        /// Throws `RunningServer.Failure` unless the event was accepted or will be delivered again.
        func requireTaken() throws {
            guard !isTaken else { return }
            guard let answer else { throw RunningServer.Failure(description: "the server gave no answer") }
            _ = try answer.required()
        }
    }

    private let simulation: Simulation
    private let installation: Installation
    private let catalogue: Catalogue

    init(_ simulation: Simulation, _ catalogue: Catalogue) {
        self.simulation = simulation
        self.catalogue = catalogue
        installation = simulation.installation
    }

    /// Prints the signed text, or delivers it and prints `words`, the server's answers and the user's status.
    ///
    /// `keep` stores the event in the installation. It runs once the text is printed or a delivery is accepted; an
    /// event that the server refuses is not stored. Throws `RunningServer.Failure` if no server runs or it refuses
    /// the event.
    func deliver(
        _ words: String, _ event: SimulatedEvent, containing content: SimulatedNotification.Content? = nil,
        by route: Route = .notification, keep: () throws -> Void = {}
    ) async throws {
        let authority = try installation.authority()
        let uuid = Surroundings.accountToken().description.lowercased()
        let appleID = catalogue.apps.first { $0.id.text == event.bundleId }?.appleID
        let notification =
            try content.map { event.notification(about: $0, uuid: uuid, appAppleId: appleID) }
            ?? event.notification(uuid: uuid, appAppleId: appleID, signedBy: authority)
        let texts = Texts(
            notification: try authority.sign(notification).text,
            transaction: try event.transaction.map { try authority.sign($0).text })
        var document = Self.document(of: event, notification, texts)
        guard !simulation.has(.print) else {
            try keep()
            let text = route == .app ? texts.transaction ?? texts.notification : texts.notification
            return print(simulation.has(.json) ? try JSONText.pretty(document) : text)
        }
        let user = try simulation.userID()
        let server = try RunningServer(on: installation)
        let delivery = KeptDelivery(
            notification.notificationUUID, texts.notification, in: event.environment, about: words,
            signedAt: event.signedDate)
        let responses = try await send(texts, delivery, to: server, as: user, by: route)
        let isTaken = responses.contains(where: \.isTaken)
        if isTaken { try keep() }
        let status = try await server.status(of: user)
        if simulation.has(.json) {
            document["answers"] = responses.map(\.document)
            document["user_status"] = status.members
            print(try JSONText.pretty(document))
        } else if isTaken {
            print("\(words): \(responses.map(\.result).joined(separator: ", "))")
            print(StatusLine(of: user, status).text)
        }
        for response in responses { try response.requireTaken() }
    }

    /// The signed texts to deliver, as compact JWS.
    private struct Texts {
        let notification: String
        let transaction: String?
    }

    /// Delivers the texts by `route`, and returns the responses in order, up to the first refusal.
    private func send(
        _ texts: Texts, _ delivery: KeptDelivery, to server: RunningServer, as user: UserID, by route: Route
    ) async throws -> [Response] {
        var responses: [Response] = []
        if route != .notification, let transaction = texts.transaction {
            responses.append(Response(try await server.attach(transaction, as: user)))
            guard responses.last?.isTaken == true else { return responses }
        }
        guard route != .app else { return responses }
        if simulation.has(.hold) {
            try delivery.keep(in: installation)
            return responses + [Response(nil)]
        }
        for _ in 0..<(simulation.has(.twice) ? 2 : 1) {
            responses.append(Response(try await delivery.attempt(on: server, at: installation.clock.now())))
        }
        return responses
    }

    private static func document(
        of event: SimulatedEvent, _ notification: SimulatedNotification, _ texts: Texts
    ) -> [String: Any] {
        let members: [String: Any?] = [
            "notification_type": notification.notificationType.rawValue, "subtype": notification.subtype?.rawValue,
            "notification_uuid": notification.notificationUUID, "transaction_id": event.transaction?.transactionId,
            "original_transaction_id": event.transaction?.originalTransactionId,
            "product_id": event.transaction?.productId, "jws": texts.transaction, "signed_payload": texts.notification,
        ]
        return members.compactMapValues { $0 }
    }
}
