/// A node of a YAML or JSON text, with its line.
///
/// Unquoted scalars are read by YAML 1.2, so `no`, the language tag of Norwegian, stays a text.
struct YAMLNode: Sendable {
    /// The value of a node.
    indirect enum Content: Sendable {
        case null
        case boolean(Bool)
        case integer(Int)
        /// An unquoted number, as written, that is no whole number or has a leading zero or plus.
        case number(String)
        case text(String)
        case list([YAMLNode])
        case mapping([Entry])
    }

    /// A key of a mapping with its value; keys of one mapping are distinct.
    struct Entry: Sendable {
        let key: String
        /// The line of the key.
        let line: Int
        let value: YAMLNode
    }

    let line: Int
    let content: Content
}

extension YAMLNode {
    /// The kind of content, in words for messages.
    var kindInWords: String {
        switch content {
        case .null: "nothing"
        case .boolean: "true or false"
        case .integer, .number: "a number"
        case .text: "a text"
        case .list: "a list"
        case .mapping: "a mapping"
        }
    }

    /// Reads an unquoted scalar.
    static func plain(_ text: String, line: Int) -> YAMLNode {
        YAMLNode(line: line, content: content(ofPlain: text))
    }

    private static func content(ofPlain text: String) -> Content {
        switch text {
        case "", "~", "null", "Null", "NULL": return .null
        case "true", "True", "TRUE": return .boolean(true)
        case "false", "False", "FALSE": return .boolean(false)
        default: break
        }
        guard let first = text.utf8.first, "+-.0123456789".utf8.contains(first), Double(text) != nil else {
            return .text(text)
        }
        // Only the shortest form counts as a whole number, because 007 may be a text whose zeros matter.
        if let integer = Int(text), String(integer) == text { return .integer(integer) }
        return .number(text)
    }
}
