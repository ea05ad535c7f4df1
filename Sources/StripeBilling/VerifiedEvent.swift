import Crypto
package import Entitlements
import StrictJSON

/// An event of Stripe's: signed by it, or listed when it was asked. Only code that knows that makes a value.
package struct VerifiedEvent: Sendable {
    /// No event is longer, in bytes.
    package static let maximumBytes = 1 << 20
    /// How far the signing may be from now, in seconds, before and after (`stripe.md` §1).
    package static let tolerance: Int64 = 300

    /// An authentic text that is no event.
    package struct Malformed: Error, Hashable, Sendable {
        package let defect: String
    }

    package let id: String
    package let type: String
    package let createdAt: Instant
    package let environment: StoreEnvironment
    package let content: EventContent
    /// The card account's customer, whatever the event's type; nil where the event names none.
    package let customer: String?
    /// The payment that the event is about; nil where it names none.
    package let payment: String?
    /// SHA-256 over what it says, the same in all repeats, however often it was sent and however its JSON is written.
    package let contentDigest: [UInt8]
    private let value: JSONValue

    /// Verifies the body of a request. Throws ``SignatureRefusal``.
    package static func verify(
        _ body: [UInt8], signedAs signature: SignatureHeader, with secrets: EndpointSecrets, at now: Instant
    ) throws(SignatureRefusal) -> Result<VerifiedEvent, Malformed> {
        guard secrets.signed(body, as: signature) else { throw .signatureMismatch }
        let age = now.milliseconds / 1_000 - signature.seconds
        guard (-tolerance...tolerance).contains(age) else { throw .timestampOutOfRange }
        return Result { () throws(Malformed) in try VerifiedEvent(body) }
    }

    /// Reads a text that was verified when it was stored; the age of its signature was judged then.
    /// Throws ``Malformed``.
    package static func read(stored text: String) throws(Malformed) -> VerifiedEvent {
        try VerifiedEvent(Array(text.utf8))
    }

    /// Reads an event as it stands in Stripe's own list (`stripe.md` §6). No signature is needed: Stripe itself
    /// answered over TLS, to the account's key. Throws ``Malformed``.
    package static func read(listed body: [UInt8]) throws(Malformed) -> VerifiedEvent {
        guard body.count <= maximumBytes else { throw Malformed(defect: "The event is longer than 1 MiB.") }
        return try VerifiedEvent(body)
    }

    /// The names and numbers that stand in it.
    ///
    /// - Parameter userKey: The member of metadata that holds the user id.
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
            // A thin event: what it is about would have to be fetched.
            createdAt = .distantPast
            environment = event.flag("livemode") ?? true ? .production : .sandbox
            content = .ignored(.thin)
            (customer, payment) = (nil, nil)
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
        var digest = SHA256()
        digest.update(data: Array(type.utf8) + [0] + Array(String(createdAt.milliseconds).utf8) + [0])
        if let data = value["data"] { digest.update(with: data) }
        contentDigest = Array(digest.finalize())
    }

    /// Reads a body that Stripe vouches for. A body whose names are too many or too long is read too, and is not
    /// bounded.
    private static func json(_ body: [UInt8]) throws(Malformed) -> (StrictJSON, isBounded: Bool) {
        do throws(JSONDefect) {
            return (try StrictJSON(body), true)
        } catch {
            // Lost: why it has no reading either.
            guard error.isOfNames, let json = try? StrictJSON(body, boundsNames: false) else {
                throw Malformed(defect: "The body is not strict JSON.")
            }
            return (json, false)
        }
    }
}
