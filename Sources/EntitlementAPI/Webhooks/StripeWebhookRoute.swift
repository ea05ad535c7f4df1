import Entitlements
import HTTPTypes
import Hummingbird
import LedgerStore
import StripeBilling

/// `POST /api/billing/webhooks/stripe`: an event of card billing (`api.md`, "Webhooks").
///
/// Stored and committed first, then placed within the request, like a notification of the App Store.
enum StripeWebhookRoute {
    static let bodyLimit = VerifiedEvent.maximumBytes
    private static let signature = HTTPField.Name("Stripe-Signature")

    /// - Throws: `not_found` while no secret is configured, why the signature or the body is not genuine,
    ///   `unavailable`.
    static func respond(to call: OpenCall) async throws(Problem) -> Response {
        guard let secrets = call.api.cardSecrets else { throw .notFound }
        let body = try await call.bytes()
        let event = try verified(body, signedAs: signature.flatMap { call.request.headers[$0] }, secrets, call.api)
        let inbox = call.api.inbox.cards
        let news = inbox.news(of: event)
        let stored = try await call.served { () async throws(ServiceFailure) in
            try await inbox.receive(event, news, written: body)
        }
        return await StoreInbox.answer(to: stored, from: .stripe, call) { () async throws(ServiceFailure) in
            try await inbox.place(news, stored: stored.id)
        }
    }

    private static func verified(
        _ body: [UInt8], signedAs header: String?, _ secrets: EndpointSecrets, _ api: API.Dependencies
    ) throws(Problem) -> VerifiedEvent {
        let read: Result<VerifiedEvent, VerifiedEvent.Malformed>
        do throws(SignatureRefusal) {
            read = try VerifiedEvent.verify(body, signedAs: header, with: secrets, at: api.realNow())
        } catch {
            api.metrics.refused(.cardEvent, because: error.rawValue)
            throw Problem(notGenuine: error.rawValue, "The delivery is not signed as Stripe signs.")
        }
        switch read {
        case .success(let event):
            api.metrics.found(genuine: .cardEvent)
            return event
        case .failure(let malformed): throw Problem(notGenuine: "payload_malformed", malformed.defect)
        }
    }
}

extension Problem {
    fileprivate init(notGenuine reason: String, _ detail: String) {
        self.init(.evidenceInvalid, detail)
        self.reason = reason
        status = .badRequest
    }
}
