/// A JSON array of texts or numbers, to bind as the one parameter of `JSON_TABLE(?)`.
///
/// One prepared statement then serves every number of keys.
struct JSONArray {
    private(set) var text = "["

    /// The finished array.
    var closed: String { text + "]" }

    mutating func append(_ element: String) {
        separate()
        appendQuoted(element)
    }

    mutating func append(_ element: UInt64) {
        separate()
        text += String(element)
    }

    /// Appends an array of texts as one element.
    mutating func append(_ elements: [String]) {
        separate()
        text += "["
        for (position, element) in elements.enumerated() {
            if position > 0 { text += "," }
            appendQuoted(element)
        }
        text += "]"
    }

    /// Appends an array of numbers as one element.
    mutating func append(_ elements: [UInt64]) {
        separate()
        text += "[" + elements.map(String.init).joined(separator: ",") + "]"
    }

    private mutating func separate() {
        if text.utf8.count > 1 { text += "," }
    }

    private mutating func appendQuoted(_ element: String) {
        text += Self.quoted(element)
    }

    /// `element` as JSON writes a text.
    static func quoted(_ element: String) -> String {
        var text = "\""
        for scalar in element.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }
}
