import Entitlements

/// A field of a fact, as ledgers store it: a text, null, or a list of fields. SQL can read it with `JSON_VALUE`.
enum JSONField: Hashable, Sendable {
    case null
    case text(String)
    case list([JSONField])

    init(_ text: String?) { self = text.map(JSONField.text) ?? .null }
    init(_ number: some FixedWidthInteger) { self = .text(String(number)) }
    init(_ flag: Bool) { self = .text(flag ? "true" : "false") }
    init(_ instant: Instant?) { self.init(instant.map { String($0.milliseconds) }) }

    /// The JSON text of the field, without white space. Each field has exactly one text.
    var json: String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(256)
        write(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    private func write(to bytes: inout [UInt8]) {
        switch self {
        case .null: bytes += "null".utf8
        case .text(let text): bytes.append(quoted: text)
        case .list(let fields):
            bytes.append(UInt8(ascii: "["))
            for (position, field) in fields.enumerated() {
                if position > 0 { bytes.append(UInt8(ascii: ",")) }
                field.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        }
    }

    /// The field of a JSON text; nil unless `json` is exactly the text that this type writes.
    init?(json: String) {
        var reader = JSONFieldReader(json)
        guard let field = reader.field(depth: 0), reader.isAtEnd else { return nil }
        self = field
    }
}

/// Parses the JSON text of a field.
private struct JSONFieldReader {
    private static let maximumDepth = 4
    private static let null = Array("null".utf8)

    private let bytes: [UInt8]
    private var position = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    var isAtEnd: Bool { position == bytes.count }

    mutating func field(depth: Int) -> JSONField? {
        guard position < bytes.count else { return nil }
        switch bytes[position] {
        case UInt8(ascii: "\""): return quoted().map(JSONField.text)
        case UInt8(ascii: "["): return depth < Self.maximumDepth ? list(depth: depth) : nil
        default:
            guard bytes[position...].starts(with: Self.null) else { return nil }
            position += Self.null.count
            return .null
        }
    }

    private mutating func list(depth: Int) -> JSONField? {
        position += 1
        var fields: [JSONField] = []
        // Room for a state, and for a key in it.
        fields.reserveCapacity(depth == 0 ? 32 : 4)
        if take("]") { return .list(fields) }
        repeat {
            guard let field = field(depth: depth + 1) else { return nil }
            fields.append(field)
        } while take(",")
        return take("]") ? .list(fields) : nil
    }

    private mutating func quoted() -> String? {
        position += 1
        // Most texts have no escapes and are read in one piece.
        let start = position
        while position < bytes.count, ![UInt8].isEscaped(bytes[position]) { position += 1 }
        if position < bytes.count, bytes[position] == UInt8(ascii: "\"") {
            position += 1
            return String(validating: bytes[start..<position - 1], as: UTF8.self)
        }
        position = start
        return unescaped()
    }

    private mutating func unescaped() -> String? {
        var text: [UInt8] = []
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return String(validating: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let escaped = escaped() else { return nil }
                text.append(escaped)
            case 0..<0x20: return nil
            default: text.append(byte)
            }
        }
        return nil
    }

    /// Reads the rest of an escape: a quote, a backslash, or `u` and the four digits of a control character.
    private mutating func escaped() -> UInt8? {
        if take("\"") { return UInt8(ascii: "\"") }
        if take("\\") { return UInt8(ascii: "\\") }
        guard take("u"), position + 4 <= bytes.count else { return nil }
        let digits = bytes[position..<position + 4]
        position += 4
        // Only lower-case digits are accepted, as this type writes them.
        guard let number = Hexadecimal.bytes(String(decoding: digits, as: UTF8.self)), number[0] == 0, number[1] < 0x20,
            digits.allSatisfy({ $0 >= UInt8(ascii: "a") || $0 <= UInt8(ascii: "9") })
        else { return nil }
        return number[1]
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }
}
