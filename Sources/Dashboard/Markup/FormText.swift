/// The fields of a form, as a query or a body in `application/x-www-form-urlencoded`: `+` is a space.
struct FormText: Sendable {
    /// The most fields of a form.
    private static let maximumFields = 64

    private let fields: [(name: String, value: String)]

    /// Nil if an escape is malformed, a text is not UTF-8, or there are too many fields.
    init?(_ text: some Sequence<UInt8>) {
        var fields: [(name: String, value: String)] = []
        for pair in Array(text).split(separator: UInt8(ascii: "&")) {
            guard fields.count < Self.maximumFields else { return nil }
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decoded(parts[0]), let value = Self.decoded(parts.count > 1 ? parts[1] : []) else {
                return nil
            }
            fields.append((name, value))
        }
        self.fields = fields
    }

    /// The value of the field `name`, without blanks at its ends; empty if it is missing or given twice. Browsers end
    /// the lines of a text with CR and LF, which become LF.
    subscript(name: String) -> String {
        let text = exact(name).replacing("\r\n", with: "\n")
        let scalars = text.unicodeScalars.drop { $0.properties.isWhitespace }
        let end = scalars.lastIndex { !$0.properties.isWhitespace }
        return end.map { String(String.UnicodeScalarView(scalars[...$0])) } ?? ""
    }

    /// The value of the field `name` as it was sent; empty if it is missing or given twice.
    func exact(_ name: String) -> String {
        let values = fields.filter { $0.name == name }
        return values.count == 1 ? values[0].value : ""
    }

    private static func decoded(_ text: ArraySlice<UInt8>) -> String? {
        var bytes: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                    return nil
                }
                bytes.append(high << 4 | low)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

extension FormText {
    /// The name of the field that ties a form to the browser.
    static let token = "form_token"

    /// A form without fields.
    static let empty = FormText(fields: [])

    private init(fields: [(name: String, value: String)]) { self.fields = fields }
}
