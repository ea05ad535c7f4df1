/// A JSON array of texts or numbers, which a statement takes as the one parameter of `JSON_TABLE(?)`.
///
/// So one prepared statement serves any number of keys.
struct JSONArray {
    /// Turns a bound JSON array of ids into rows, each with the column `j.id`.
    static let ids = "JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) j"

    private var bytes = [UInt8(ascii: "[")]

    /// The text of the whole array.
    var closed: String { String(decoding: bytes + [UInt8(ascii: "]")], as: UTF8.self) }

    init() {}

    init(_ elements: [String]) { elements.forEach { append($0) } }

    init(_ elements: [UInt64]) { elements.forEach { append($0) } }

    mutating func append(_ element: String) {
        separate()
        bytes.append(quoted: element)
    }

    mutating func append(_ element: UInt64) {
        separate()
        bytes += String(element).utf8
    }

    /// Appends an array of texts as one element.
    mutating func append(_ elements: [String]) {
        separate()
        bytes += JSONArray(elements).bytes + [UInt8(ascii: "]")]
    }

    /// Appends an array of numbers as one element.
    mutating func append(_ elements: [UInt64]) {
        separate()
        bytes += JSONArray(elements).bytes + [UInt8(ascii: "]")]
    }

    private mutating func separate() {
        if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
    }

    /// `element` as a JSON string, with quotes and escapes.
    static func quoted(_ element: String) -> String {
        var bytes: [UInt8] = []
        bytes.append(quoted: element)
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension [UInt8] {
    /// Appends `text` as a JSON string. Texts without special characters are copied unchanged.
    mutating func append(quoted text: String) {
        append(UInt8(ascii: "\""))
        if text.utf8.contains(where: Self.isEscaped) {
            for byte in text.utf8 {
                switch byte {
                case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                    append(UInt8(ascii: "\\"))
                    append(byte)
                case 0..<0x20:
                    self += "\\u00".utf8
                    self += Hexadecimal.text([byte]).utf8
                default: append(byte)
                }
            }
        } else {
            self += text.utf8
        }
        append(UInt8(ascii: "\""))
    }

    /// True for the bytes of a text that JSON escapes.
    static func isEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }
}
