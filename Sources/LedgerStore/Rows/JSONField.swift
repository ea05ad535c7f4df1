/// One field of a fact as the ledger writes it: a text, nothing, or a list of fields; SQL reads them with `JSON_VALUE`.
enum JSONField: Hashable, Sendable {
    case null
    case text(String)
    case list([JSONField])

    init(_ text: String?) { self = text.map(JSONField.text) ?? .null }
    init(_ number: some FixedWidthInteger) { self = .text(String(number)) }
    init(_ flag: Bool) { self = .text(flag ? "true" : "false") }

    /// The one JSON text of it, without white space.
    var json: String {
        switch self {
        case .null: "null"
        case .text(let text): JSONArray.quoted(text)
        case .list(let fields): "[" + fields.map(\.json).joined(separator: ",") + "]"
        }
    }

    /// Nil unless `json` is the one text that a field is written as.
    init?(json: String) {
        var reader = JSONFieldReader(json)
        guard let field = reader.field(depth: 0), reader.isAtEnd, field.json.utf8.elementsEqual(json.utf8) else {
            return nil
        }
        self = field
    }
}

/// Walks over the bytes of a field's text.
private struct JSONFieldReader {
    private static let maximumDepth = 3
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
        if take("]") { return .list(fields) }
        repeat {
            guard let field = field(depth: depth + 1) else { return nil }
            fields.append(field)
        } while take(",")
        return take("]") ? .list(fields) : nil
    }

    private mutating func quoted() -> String? {
        position += 1
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

    /// What stands after a backslash: a quote, a backslash, or a control character by its number.
    private mutating func escaped() -> UInt8? {
        if take("\"") { return UInt8(ascii: "\"") }
        if take("\\") { return UInt8(ascii: "\\") }
        guard take("u"), position + 4 <= bytes.count else { return nil }
        let digits = String(validating: bytes[position..<position + 4], as: UTF8.self)
        position += 4
        return digits.flatMap { UInt8($0, radix: 16) }.flatMap { $0 < 0x20 ? $0 : nil }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }
}
