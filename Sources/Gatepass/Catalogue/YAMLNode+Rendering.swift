extension YAMLNode {
    /// The node as one line of JSON. YAML reads it as an equal node.
    var rendered: String {
        switch content {
        case .null: "null"
        case .boolean(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .number(let text): text
        case .text(let text): Self.quoted(text)
        case .list(let items): "[\(items.map(\.rendered).joined(separator: ", "))]"
        case .mapping(let entries):
            "{\(entries.map { "\(Self.quoted($0.key)): \($0.value.rendered)" }.joined(separator: ", "))}"
        }
    }

    /// The text in quotation marks, in one line and in characters that are shown, whatever it holds.
    static func quoted(_ text: String) -> String {
        let escaped = text.unicodeScalars.map { scalar in
            switch scalar {
            case "\"": "\\\""
            case "\\": "\\\\"
            case "\n": "\\n"
            case "\t": "\\t"
            case "\r": "\\r"
            default: isShown(scalar) ? String(scalar) : escape(scalar)
            }
        }
        return "\"\(escaped.joined())\""
    }

    /// False for characters that YAML forbids, folds or takes for line breaks, and others that nobody sees.
    private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
        // YAML takes everything beyond the basic plane as it is.
        guard scalar.value <= 0xFFFF else { return true }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned: return false
        default: return true
        }
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}
