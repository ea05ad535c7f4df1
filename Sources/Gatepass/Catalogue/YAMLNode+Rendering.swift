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

    private static func quoted(_ text: String) -> String {
        let escaped = text.unicodeScalars.map { scalar in
            switch scalar {
            case "\"": "\\\""
            case "\\": "\\\\"
            case "\n": "\\n"
            case "\t": "\\t"
            case "\r": "\\r"
            default: String(scalar)
            }
        }
        return "\"\(escaped.joined())\""
    }
}
