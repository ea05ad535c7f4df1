import Entitlements
import HTTPTypes
import Hummingbird
import LedgerStore
import StripeBilling

/// `POST /api/billing/webhooks/stripe`: takes an event of card billing (`api.md`, "Webhooks").
///
/// A request whose header has no well-formed signature is refused before its body is read. A genuine event is stored
/// and committed, then placed, like a notification of the App Store.
enum StripeWebhookRoute {
    static let bodyLimit = VerifiedEvent.maximumBytes
    private static let signatureField = HTTPField.Name("Stripe-Signature")

    /// - Throws: `not_found` if no secret is configured, the problem of an event that is not genuine, `unavailable`.
    static func respond(to call: OpenCall) async throws(Problem) -> Response {
        guard let secrets = call.api.cardSecrets else { throw .notFound }
        let signature = try judged(call.api, closing: true) { () throws(SignatureRefusal) in
            try SignatureHeader(signatureField.flatMap { call.request.headers[$0] })
        }
        let body = try await call.bytes()
        let event = try verified(body, signedAs: signature, secrets, call.api)
        let reader = call.api.inbox.cards
        let stored = try await call.served {
            try await $0.inbox.receive(reader.delivery(event, written: body, under: $0.labels))
        }
        return await StoreInbox.answer(to: stored, from: .stripe, call) { () async throws(ServiceFailure) in
            let store = try call.api.store()
            return try await Inbox.place(
                reader.read(event, under: store.labels), as: stored.id, under: call.api.rules, in: store.ledger)
        }
    }

    private static func verified(
        _ body: [UInt8], signedAs signature: SignatureHeader, _ secrets: EndpointSecrets, _ api: API.Dependencies
    ) throws(Problem) -> VerifiedEvent {
        let read = try judged(api) { () throws(SignatureRefusal) in
            try VerifiedEvent.verify(body, signedAs: signature, with: secrets, at: api.realNow())
        }
        switch read {
        case .success(let event):
            api.metrics.found(genuine: .cardEvent)
            return event
        case .failure(let malformed): throw Problem(notGenuine: "payload_malformed", malformed.defect)
        }
    }

    /// The result of `judge`. If it refuses, the refusal is counted. `closing` then closes the connection, because the
    /// body is not read.
    private static func judged<Genuine>(
        _ api: API.Dependencies, closing: Bool = false, _ judge: () throws(SignatureRefusal) -> Genuine
    ) throws(Problem) -> Genuine {
        do throws(SignatureRefusal) {
            return try judge()
        } catch {
            api.metrics.refused(.cardEvent, because: error.rawValue)
            var problem = Problem(notGenuine: error.rawValue, "The delivery is not signed as Stripe signs.")
            problem.closesConnection = closing
            throw problem
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
