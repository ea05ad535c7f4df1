import Entitlements
import StrictJSON

/// An object of an event, read member by member. A member that is absent, null or of another type is nil, never
/// guessed: objects have members of many versions.
struct CardObject: Sendable {
    private let value: JSONValue

    /// The last second of the year 9999.
    private static let lastSecond: Int64 = 253_402_300_799

    init(_ value: JSONValue) { self.value = value }

    /// The object's own id.
    var id: String? { identifier("id") }

    /// An object inside it.
    subscript(name: String) -> CardObject? {
        value[name].flatMap { $0.isObject ? CardObject($0) : nil }
    }

    /// True if it has the member, be it null.
    func isPresent(_ name: String) -> Bool { value[name] != nil }

    func text(_ name: String) -> String? { value[name]?.string }

    func flag(_ name: String) -> Bool? { value[name]?.flag }

    func integer(_ name: String) -> Int64? { value[name]?.integer.flatMap { Int64($0) } }

    /// A date in seconds.
    func instant(_ name: String) -> Instant? {
        guard let seconds = integer(name), (0...Self.lastSecond).contains(seconds) else { return nil }
        return Instant(milliseconds: seconds * 1_000)
    }

    /// A name of 1 to 255 visible ASCII characters, or the id of the object that stands in its place.
    func identifier(_ name: String) -> String? {
        guard let text = text(name) ?? self[name]?.text("id") else { return nil }
        return (1...255).contains(text.utf8.count) && text.utf8.allSatisfy { 0x21...0x7E ~= $0 } ? text : nil
    }

    /// The objects of a list: of `{"data": […]}`.
    func list(_ name: String) -> [CardObject] {
        value[name]?["data"]?.elements?.filter(\.isObject).map(CardObject.init) ?? []
    }

    /// The texts that the shop wrote beside the object.
    var metadata: [String: String] { texts("metadata") }

    /// The members of an object that are texts.
    func texts(_ name: String) -> [String: String] {
        let members = value[name]?.members ?? []
        return Dictionary(
            members.compactMap { member in member.value.string.map { (member.name, $0) } },
            uniquingKeysWith: { first, _ in first })
    }
}
