import Entitlements
import StrictJSON

/// A JSON object of an event, read member by member. A member that is missing, null or of another type gives nil,
/// because the objects have members of many API versions.
struct CardObject: Sendable {
    private let value: JSONValue

    /// The last second of the year 9999, in seconds since 1970.
    private static let lastSecond: Int64 = 253_402_300_799

    init(_ value: JSONValue) { self.value = value }

    /// The object's own id.
    var id: String? { identifier("id") }

    /// The object in the member `name`.
    subscript(name: String) -> CardObject? {
        value[name].flatMap { $0.isObject ? CardObject($0) : nil }
    }

    /// True if the object has the member, even if it is null.
    func isPresent(_ name: String) -> Bool { value[name] != nil }

    func text(_ name: String) -> String? { value[name]?.string }

    func flag(_ name: String) -> Bool? { value[name]?.flag }

    func integer(_ name: String) -> Int64? { value[name]?.integer.flatMap { Int64($0) } }

    /// The date in the member `name`, which is in seconds since 1970.
    func instant(_ name: String) -> Instant? {
        guard let seconds = integer(name), (0...Self.lastSecond).contains(seconds) else { return nil }
        return Instant(milliseconds: seconds * 1_000)
    }

    /// The id in the member `name`: its text, or the id of the object there. Nil unless it is 1 to 255 visible ASCII
    /// characters.
    func identifier(_ name: String) -> String? {
        guard let text = text(name) ?? self[name]?.text("id") else { return nil }
        return (1...255).contains(text.utf8.count) && text.utf8.allSatisfy { 0x21...0x7E ~= $0 } ? text : nil
    }

    /// The objects of the list `{"data": […]}` in the member `name`.
    func list(_ name: String) -> [CardObject] {
        value[name]?["data"]?.elements?.filter(\.isObject).map(CardObject.init) ?? []
    }

    /// The `metadata` that the seller attached to the object.
    var metadata: [String: String] { texts("metadata") }

    /// The text members of the object in the member `name`.
    func texts(_ name: String) -> [String: String] {
        let members = value[name]?.members ?? []
        return Dictionary(
            members.compactMap { member in member.value.string.map { (member.name, $0) } },
            uniquingKeysWith: { first, _ in first })
    }
}
