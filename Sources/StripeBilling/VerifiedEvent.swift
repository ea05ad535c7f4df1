import Crypto
package import Entitlements
import StrictJSON

/// An event that is proven to be Stripe's: Stripe signed it, or listed it over TLS. Only code in this file makes
/// values.
package struct VerifiedEvent: Sendable {
    /// The most bytes of an event.
    package static let maximumBytes = 1 << 20
    /// The most seconds that the signature's time may differ from now, before or after (`stripe.md` §1).
    package static let tolerance: Int64 = 300

    /// An error: the text is Stripe's but no event.
    package struct Malformed: Error, Hashable, Sendable {
        package let defect: String
    }

    package let id: String
    package let type: String
    package let createdAt: Instant
    package let environment: StoreEnvironment
    package let content: EventContent
    /// The id of the Stripe customer, whatever the event's type; nil if the event names none.
    package let customer: String?
    /// The id of the payment intent that the event is about; nil if it names none.
    package let payment: String?
    /// The amounts in the event's object, whatever the event's type; nil if it tells none.
    package let amount: PaymentAmount?
    /// The SHA-256 of the event's type, date and content. It is the same for all repeats of an event, however they are
    /// sent or formatted.
    package let contentDigest: [UInt8]
    private let value: JSONValue

    /// Verifies the body of a request. Throws ``SignatureRefusal`` if the signature or its time is not accepted.
    /// Returns ``Malformed`` if a signed body is no event.
    package static func verify(
        _ body: [UInt8], signedAs signature: SignatureHeader, with secrets: EndpointSecrets, at now: Instant
    ) throws(SignatureRefusal) -> Result<VerifiedEvent, Malformed> {
        guard secrets.signed(body, as: signature) else { throw .signatureMismatch }
        let age = now.milliseconds / 1_000 - signature.seconds
        guard (-tolerance...tolerance).contains(age) else { throw .timestampOutOfRange }
        return Result { () throws(Malformed) in try VerifiedEvent(body) }
    }

    /// Reads a text that was verified before it was stored. Its signature is not judged again. Throws ``Malformed``.
    package static func read(stored text: String) throws(Malformed) -> VerifiedEvent {
        try VerifiedEvent(Array(text.utf8))
    }

    /// Reads an event from Stripe's list of events (`stripe.md` §6). It needs no signature, because Stripe itself
    /// answered over TLS. Throws ``Malformed``.
    package static func read(listed body: [UInt8]) throws(Malformed) -> VerifiedEvent {
        guard body.count <= maximumBytes else { throw Malformed(defect: "The event is longer than 1 MiB.") }
        return try VerifiedEvent(body)
    }

    /// The names and numbers in the event.
    ///
    /// - Parameter userKey: The key in Stripe's `metadata` whose value is the user id.
    package func names(userKey: String) -> Set<EventName> { EventName.all(in: value, userKey: userKey) }

    private init(_ body: [UInt8]) throws(Malformed) {
        let (json, isBounded) = try Self.json(body)
        let value = JSONValue(json)
        let event = CardObject(value)
        guard value.isObject else { throw Malformed(defect: "The body is no object.") }
        guard let id = event.id else { throw Malformed(defect: "The event has no id.") }
        guard let type = event.identifier("type") else { throw Malformed(defect: "The event has no type.") }
        self.id = id
        self.type = type
        self.value = value
        guard event.text("object") == "event" else {
            // A thin event does not contain the object, which would have to be fetched.
            createdAt = .distantPast
            environment = event.flag("livemode") ?? true ? .production : .sandbox
            content = .ignored(.thin)
            (customer, payment, amount) = (nil, nil, nil)
            contentDigest = Array(SHA256.hash(data: body))
            return
        }
        guard let createdAt = event.instant("created") else { throw Malformed(defect: "The event has no date.") }
        guard let isLive = event.flag("livemode") else { throw Malformed(defect: "The event says no mode.") }
        self.createdAt = createdAt
        environment = isLive ? .production : .sandbox
        let object = event["data"]?["object"]
        content = isBounded ? EventContent(of: type, about: object) : .ignored(.unreadable)
        let kind = object?.text("object")
        customer = kind == "customer" ? object?.id : object?.identifier("customer")
        payment = kind == "payment_intent" ? object?.id : object?.identifier("payment_intent")
        amount = object.flatMap { PaymentAmount($0, toldAt: createdAt) }
        var digest = SHA256()
        digest.update(data: Array(type.utf8) + [0] + Array(String(createdAt.milliseconds).utf8) + [0])
        if let data = value["data"] { digest.update(with: data) }
        contentDigest = Array(digest.finalize())
    }

    /// Parses a body that is known to be Stripe's. If member names are too many or too long, it is parsed all the same,
    /// and `isBounded` is false.
    private static func json(_ body: [UInt8]) throws(Malformed) -> (StrictJSON, isBounded: Bool) {
        do throws(JSONDefect) {
            return (try StrictJSON(body), true)
        } catch {
            // `try?` drops the second error; the first one already says that the body is refused.
            guard error.isOfNames, let json = try? StrictJSON(body, boundsNames: false) else {
                throw Malformed(defect: "The body is not strict JSON.")
            }
            return (json, false)
        }
    }
}
