/// A JSON array of texts or numbers, to bind as the one parameter of `JSON_TABLE(?)`.
///
/// A single prepared statement then serves every number of keys.
struct JSONArray {
    /// The ids of a bound array, each as `j.id`.
    static let ids = "JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) j"

    private var bytes = [UInt8(ascii: "[")]

    /// The finished array.
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

    /// `element` as JSON writes a text.
    static func quoted(_ element: String) -> String {
        var bytes: [UInt8] = []
        bytes.append(quoted: element)
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension [UInt8] {
    /// Appends `text` as JSON writes it. Most texts are copied as they are.
    mutating func append(quoted text: String) {
        append(UInt8(ascii: "\""))
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
        append(UInt8(ascii: "\""))
    }
}
