import AppStore
import Entitlements
import Foundation
import StoreSimulator

/// Delivers an event of the simulated store to the running server, and prints what came of it.
struct EventDelivery {
    /// How the server learns of it.
    enum Route {
        /// The App Store notifies it.
        case notification
        /// The user's app attaches the transaction.
        case app
        /// First the one, then the other, as when somebody buys.
        case appAndNotification
    }

    /// An answer, and who got it.
    private struct Response {
        let route: String
        let answer: RunningServer.Answer

        /// What the server made of it: `applied`, `attached`, or the status of a refusal.
        var result: String {
            let members = answer.members
            let code = members["result"] ?? members["outcome"] ?? members["code"]
            return code as? String ?? "\(answer.status)"
        }
    }

    let options: DeliveryOptions
    let installation: Installation
    /// The number of the app.
    let appleID: Int64?

    /// Prints the text, or delivers it and prints `words`, what the server answered and what the user now has.
    ///
    /// `keep` makes what happened the state of the installation: once it is printed or the server took it. What the
    /// server refused did not happen. Throws `RunningServer.Failure` when there is no server or it refuses.
    func deliver(
        _ words: String, _ event: SimulatedEvent, of notification: SimulatedNotification? = nil,
        by route: Route = .notification, keep: () throws -> Void = {}
    ) async throws {
        let authority = try installation.authority()
        let notification =
            try notification
            ?? event.notification(
                uuid: Surroundings.accountToken().description.lowercased(), appAppleId: appleID, signedBy: authority)
        let texts = Texts(
            notification: try authority.sign(notification).text,
            transaction: try event.transaction.map { try authority.sign($0).text })
        var document = Self.document(of: event, notification, texts)
        guard !options.simulation.printsOnly else {
            try keep()
            let text = route == .app ? texts.transaction ?? texts.notification : texts.notification
            return print(options.simulation.json ? try JSONText.pretty(document) : text)
        }
        let user = try options.simulation.userID()
        let server = try RunningServer(on: installation)
        let responses = try await send(texts, to: server, as: user, by: route)
        let isTaken = responses.contains { $0.answer.isOK }
        if isTaken { try keep() }
        let status = try await server.status(of: user)
        if options.simulation.json {
            document["answers"] = responses.map {
                ["by": $0.route, "status": $0.answer.status, "answer": $0.answer.members] as [String: Any]
            }
            document["user_status"] = status.members
            print(try JSONText.pretty(document))
        } else if isTaken {
            print("\(words): \(responses.map(\.result).joined(separator: ", "))")
            print(StandingSummary(of: user, status).text)
        }
        for response in responses { _ = try response.answer.required() }
    }

    /// What is delivered, as compact JWS.
    private struct Texts {
        let notification: String
        let transaction: String?
    }

    /// The answers in turn, up to the first refusal.
    private func send(
        _ texts: Texts, to server: RunningServer, as user: UserID, by route: Route
    ) async throws -> [Response] {
        var responses: [Response] = []
        if route != .notification, let transaction = texts.transaction {
            responses.append(Response(route: "app", answer: try await server.attach(transaction, as: user)))
            guard responses.last?.answer.isOK == true else { return responses }
        }
        guard route != .app else { return responses }
        for _ in 0..<(options.twice ? 2 : 1) {
            responses.append(Response(route: "notification", answer: try await server.notify(texts.notification)))
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
