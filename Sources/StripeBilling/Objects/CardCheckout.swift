/// A checkout session as an event shows it.
package struct CardCheckout: Hashable, Sendable {
    /// The kind of sale; the raw value is the member `mode` at Stripe.
    package enum Mode: String, Hashable, Sendable {
        case payment
        case subscription
        case setup
    }

    package let id: String
    package let mode: Mode
    /// True if nothing is left to be paid. A delayed payment is not paid yet when the session is completed.
    package let isPaid: Bool
    package let clientReferenceID: String?
    package let metadata: [String: String]
    package let paymentIntent: String?
    package let paymentLink: String?
    package let subscription: String?

    init?(_ object: CardObject) {
        guard let id = object.id, let mode = object.text("mode").flatMap(Mode.init) else { return nil }
        self.id = id
        self.mode = mode
        isPaid = ["paid", "no_payment_required"].contains(object.text("payment_status"))
        clientReferenceID = object.text("client_reference_id")
        metadata = object.metadata
        paymentIntent = object.identifier("payment_intent")
        paymentLink = object.identifier("payment_link")
        subscription = object.identifier("subscription")
    }
}
