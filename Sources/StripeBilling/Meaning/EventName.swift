import StrictJSON

/// A name or number in an event. By these the event is found when a person is exported or erased (`semantics.md` §5).
/// So they are collected from all places, whether or not the event's type is read.
package enum EventName: Hashable, Sendable {
    /// A user id, as the seller wrote it.
    case user(String)
    /// The id of a Stripe customer.
    case customer(String)
    /// The number of a payment, charge, invoice, session, subscription or refund.
    case number(String)
}

extension EventName {
    private static let customerPrefix = "cus_"
    private static let numberPrefixes = ["pi_", "ch_", "py_", "in_", "cs_", "sub_", "re_"]

    /// All names and numbers in `value`, at any depth.
    ///
    /// - Parameter userKey: The key in Stripe's `metadata` whose value is the user id.
    static func all(in value: JSONValue, userKey: String) -> Set<EventName> {
        var names: Set<EventName> = []
        collect(from: value, userKey, into: &names)
        return names
    }

    private static func collect(from value: JSONValue, _ userKey: String, into names: inout Set<EventName>) {
        if let name = value.string.flatMap(EventName.init(prefixed:)) { names.insert(name) }
        if value["object"]?.string == "customer", let id = value["id"]?.string { names.insert(.customer(id)) }
        for element in value.elements ?? [] { collect(from: element, userKey, into: &names) }
        for (member, value) in value.members ?? [] {
            switch member {
            case "client_reference_id":
                if let user = value.string { names.insert(.user(user)) }
            case "metadata":
                // Other metadata of the seller may be about anybody.
                if let user = value[userKey]?.string { names.insert(.user(user)) }
                continue
            case "customer":
                if let customer = value.string { names.insert(.customer(customer)) }
            case "payment_intent":
                if let number = value.string { names.insert(.number(number)) }
            default: break
            }
            collect(from: value, userKey, into: &names)
        }
    }

    /// The name in a text with the prefix of a Stripe id; nil for any other text.
    private init?(prefixed text: String) {
        if text.hasPrefix(Self.customerPrefix) {
            self = .customer(text)
        } else if Self.numberPrefixes.contains(where: text.hasPrefix) {
            self = .number(text)
        } else {
            return nil
        }
    }
}
