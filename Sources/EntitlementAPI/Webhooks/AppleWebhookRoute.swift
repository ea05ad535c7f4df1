import AppStore
import Entitlements
import Hummingbird
import LedgerStore
import StrictJSON

/// `POST /api/billing/webhooks/apple`: takes a notification of the App Store (`api.md`, "Webhooks").
///
/// A delivery is first stored and committed, then placed. Placing may go on after the answer. If placing fails, a job
/// tries again.
enum AppleWebhookRoute {
    static let bodyLimit = 256 * 1024

    /// - Throws: `not_found` if the catalogue has no app, and for version 1 where Apple cannot be asked;
    ///   `invalid_request`, the problem of texts that are not genuine, `unavailable`.
    static func respond(to call: OpenCall) async throws(Problem) -> Response {
        // Before the database is open, the apps of the newest catalogue are not known.
        _ = try await call.served { $0 }
        guard !call.api.verifier().evidence.apps.isEmpty else { throw .notFound }
        let body = try await call.json()
        guard body.value.isObject else { throw .invalidRequest("The body must be an object.", at: "#") }
        guard let payload = body.value["signedPayload"] else {
            if LegacyNotification.isMeant(by: body) { return try await LegacyNotification.respond(to: body, call) }
            throw .invalidRequest("The member is required.", at: "#/signedPayload")
        }
        guard let text = payload.string else { throw .noSignedText(payload, at: "#/signedPayload") }
        let reader = call.api.inbox.apple
        let delivery = try await verified(SignedNotification(text), by: reader, call.api.metrics)
        let stored = try await call.served {
            try await $0.inbox.receive(InboxDelivery(delivery, labels: $0.labels))
        }
        return await StoreInbox.answer(to: stored, from: .appleIAP, call) { () async throws(ServiceFailure) in
            let store = try call.api.store()
            return try await Inbox.place(
                reader.read(delivery, under: store.labels), as: stored.id, under: call.api.rules, in: store.ledger)
        }
    }

    private static func verified(
        _ signed: SignedNotification, by reader: AppleReader, _ metrics: APIMetrics
    ) async throws(Problem) -> VerifiedDelivery {
        let verdict: Result<VerifiedDelivery, EvidenceError>
        do throws(CertificateStatusUnavailable) {
            verdict = try await reader.verify(signed)
        } catch {
            metrics.couldNotVerify(.notification)
            throw Problem(error)
        }
        metrics.verified(.notification, verdict)
        switch verdict {
        case .success(let delivery): return delivery
        case .failure(let refusal):
            var problem = Problem(refusal, detail: refusal.detail(about: signed.text))
            problem.status = .badRequest
            throw problem
        }
    }
}

extension InboxDelivery {
    /// The delivery of a notification whose texts are verified.
    init(_ delivery: VerifiedDelivery, labels: Labels) {
        let notification = delivery.notification
        self.init(
            source: .appleIAP, app: AppID(notification.payload.content.bundleId ?? ""),
            environment: notification.environment, externalID: notification.payload.notificationUUID,
            type: notification.payload.notificationType.rawValue, subtype: notification.payload.subtype?.rawValue,
            signedAt: Instant(milliseconds: delivery.signedDate),
            about: delivery.transaction.map { ExternalID($0.payload.originalTransactionId) },
            mentioning: notification.names.flatMap { labels.mentions(of: $0, in: notification.environment) },
            text: .jws(notification.text, payload: notification.json), contentDigest: notification.contentDigest)
    }
}

extension Labels {
    /// The labels of a name in a notification. An account token of the legacy form also gives the label of the user
    /// that it names.
    fileprivate func mentions(of name: NotificationName, in environment: StoreEnvironment) -> [String] {
        switch name {
        case .accountToken(let token):
            [label(of: token).text] + [token.legacyUserID.map { mention(of: $0).text }].compactMap(\.self)
        case .account(let id, let app): [appleAccount(id, in: app, environment).text]
        case .purchase(let id): [id.text]
        }
    }
}
