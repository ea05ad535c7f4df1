import StrictJSON

/// A name or number that stands in an event. By them the event is found when a person is exported or erased
/// (`semantics.md` §5), so all places count, whether or not the event's type is read here.
package enum EventName: Hashable, Sendable {
    /// A user id, as the shop wrote it.
    case user(String)
    /// A customer of the card account.
    case customer(String)
    /// The number of a payment, charge, invoice, session or subscription.
    case number(String)
}

extension EventName {
    private static let customerPrefix = "cus_"
    private static let numberPrefixes = ["pi_", "ch_", "py_", "in_", "cs_", "sub_"]

    /// All that stand in `value`, at any depth.
    ///
    /// - Parameter userKey: The member of metadata that holds the user id.
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
                // The shop's other words there may be about anybody.
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

    /// Nil for a text whose prefix is that of no id.
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
