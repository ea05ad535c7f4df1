import StrictJSON

/// The body of a delivery as people read it: signed texts are decoded to what they say, one member a line.
package struct ReadableDelivery: Sendable {
    /// The most signed texts within one another, as a notification has them.
    private static let depth = 3

    package let text: String

    /// A text that is neither JSON nor a signed text stays as it is.
    package init(_ body: String) {
        guard let value = Self.value(in: body) else {
            text = body
            return
        }
        var lines = ""
        Self.write(value, to: &lines, indent: "", depth: Self.depth)
        text = lines
    }

    /// The JSON that a body is, or that a signed text says.
    private static func value(in body: String) -> JSONValue? {
        let payload = payload(of: body) ?? Array(body.utf8)
        // `try?` drops the place of the defect, because the text is shown as it is.
        guard let json = try? StrictJSON(payload), case let value = JSONValue(json), value.isObject else { return nil }
        return value
    }

    /// The payload of a compact JWS; nil for any other text.
    private static func payload(of text: String) -> [UInt8]? {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, text.utf8.starts(with: "eyJ".utf8) else { return nil }
        return Base64URL.decode(Array(parts[1]))
    }

    private static func write(_ value: JSONValue, to lines: inout String, indent: String, depth: Int) {
        let inner = indent + "  "
        if let members = value.members {
            lines += "{"
            for (number, member) in members.enumerated() {
                lines += (number == 0 ? "\n" : ",\n") + inner + quoted(member.name) + ": "
                write(member.value, to: &lines, indent: inner, depth: depth)
            }
            lines += members.isEmpty ? "}" : "\n" + indent + "}"
        } else if let elements = value.elements {
            lines += "["
            for (number, element) in elements.enumerated() {
                lines += (number == 0 ? "\n" : ",\n") + inner
                write(element, to: &lines, indent: inner, depth: depth)
            }
            lines += elements.isEmpty ? "]" : "\n" + indent + "]"
        } else if let string = value.string {
            if depth > 0, payload(of: string) != nil, let signed = self.value(in: string) {
                write(signed, to: &lines, indent: indent, depth: depth - 1)
            } else {
                lines += quoted(string)
            }
        } else {
            lines += value.flag.map { $0 ? "true" : "false" } ?? value.number ?? "null"
        }
    }

    private static func quoted(_ text: String) -> String {
        var json = JSONWriter()
        json.value(text)
        return String(decoding: json.bytes, as: UTF8.self)
    }
}
