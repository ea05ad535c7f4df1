import Entitlements
import StrictJSON

/// Typed access to the members of one object of an authentic payload.
///
/// Unknown members are ignored, and `null` counts as absent. A member of the wrong type is refused, as in Apple's own
/// decoders (`apple.md` §2). Every refusal is `payload_malformed` and names the member. ``TolerantReader`` reads
/// members that affect no decision.
struct PayloadReader {
    private let json: StrictJSON
    private let object: Int

    /// The years 1 to 9999 in milliseconds since the epoch. Xcode writes dates in year 1.
    static let instants: ClosedRange<Int64> = -62_135_769_600_000...253_402_300_799_999
    /// The largest identifier that is accepted.
    static let maximumIdentifierBytes = 255

    private init(_ json: StrictJSON, _ object: Int) {
        self.json = json
        self.object = object
    }

    /// Reads the outermost value.
    ///
    /// - Returns: `nil` if it is not an object.
    init?(_ json: StrictJSON) {
        guard json.kind(StrictJSON.root) == .object else { return nil }
        self.init(json, StrictJSON.root)
    }

    /// True if the member is present and not null.
    func has(_ name: StaticString) -> Bool {
        node(name) != nil
    }

    /// The member's value, a string; nil if the member is absent or null. Throws for any other type.
    func text(_ name: StaticString) throws(EvidenceError) -> String? {
        guard let node = node(name) else { return nil }
        guard let text = json.string(node) else { throw mistyped(name, "a string") }
        return text
    }

    /// The member's value, a string of 1 to 255 visible ASCII characters, which can be stored and compared by bytes;
    /// nil if the member is absent or null. Throws for any other value.
    func identifier(_ name: StaticString) throws(EvidenceError) -> String? {
        guard let text = try text(name) else { return nil }
        guard Self.isIdentifier(text) else {
            throw mistyped(name, "1 to \(Self.maximumIdentifierBytes) visible ASCII characters")
        }
        return text
    }

    /// True if a text is 1 to 255 visible ASCII characters.
    static func isIdentifier(_ text: String) -> Bool {
        (1...maximumIdentifierBytes).contains(text.utf8.count) && text.utf8.allSatisfy { 0x21...0x7E ~= $0 }
    }

    /// The member's value, a number that is written as an integer; nil if the member is absent or null. Throws for any
    /// other value.
    func integer(_ name: StaticString) throws(EvidenceError) -> Int64? {
        guard let node = node(name) else { return nil }
        guard let integer = json.integer(node) else { throw mistyped(name, "an integer") }
        return integer
    }

    /// The member's value, an integer between two bounds; nil if the member is absent or null. Throws for any other
    /// value.
    func integer(_ name: StaticString, in bounds: ClosedRange<Int64>) throws(EvidenceError) -> Int64? {
        guard let integer = try integer(name) else { return nil }
        guard bounds.contains(integer) else {
            throw mistyped(name, "an integer between \(bounds.lowerBound) and \(bounds.upperBound)")
        }
        return integer
    }

    /// The member's value in milliseconds since the Unix epoch; nil if the member is absent or null. Throws for any
    /// other value.
    func instant(_ name: StaticString) throws(EvidenceError) -> Int64? {
        try integer(name, in: Self.instants)
    }

    /// The member's value, true or false; nil if the member is absent or null. Throws for any other type.
    func flag(_ name: StaticString) throws(EvidenceError) -> Bool? {
        guard let node = node(name) else { return nil }
        switch json.kind(node) {
        case .isTrue: return true
        case .isFalse: return false
        case .object, .array, .string, .number, .null: throw mistyped(name, "true or false")
        }
    }

    /// The member's value, an array of strings; nil if the member is absent or null. Throws for any other value.
    func texts(_ name: StaticString) throws(EvidenceError) -> [String]? {
        guard let node = node(name) else { return nil }
        let elements = json.elements(of: node)
        let texts = elements.compactMap(json.string)
        guard json.kind(node) == .array, texts.count == elements.count else {
            throw mistyped(name, "an array of strings")
        }
        return texts
    }

    /// A reader of the member, which is a JSON object. Nil if there is no such member; throws if it is not an object.
    func object(_ name: StaticString) throws(EvidenceError) -> PayloadReader? {
        guard let node = node(name) else { return nil }
        guard json.kind(node) == .object else { throw mistyped(name, "an object") }
        return PayloadReader(json, node)
    }

    /// All members that are objects, whatever their names.
    var objects: [PayloadReader] {
        json.values(of: object).filter { json.kind($0) == .object }.map { PayloadReader(json, $0) }
    }

    /// The environment. An unknown one is no error here, because the environment is checked last.
    ///
    /// - Returns: `nil` if it is absent, of another type, or neither Sandbox nor Production.
    func environment(_ name: StaticString) -> StoreEnvironment? {
        node(name).flatMap(json.string).flatMap(StoreEnvironment.init(rawValue:))
    }

    /// Refuses a payload that lacks a member.
    func required<Value>(_ name: StaticString, _ value: Value?) throws(EvidenceError) -> Value {
        guard let value else { throw EvidenceError(.payloadMalformed, "The payload lacks \(name).") }
        return value
    }

    private func node(_ name: StaticString) -> Int? {
        guard let node = json.member(name, of: object), json.kind(node) != .null else { return nil }
        return node
    }

    private func mistyped(_ name: StaticString, _ expectation: String) -> EvidenceError {
        EvidenceError(.payloadMalformed, "The payload's \(name) must be \(expectation).")
    }
}
