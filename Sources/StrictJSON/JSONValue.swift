/// A value in a ``StrictJSON``, for readers that do not know the members' names in advance.
package struct JSONValue: Sendable {
    private let json: StrictJSON
    private let node: Int

    private init(_ json: StrictJSON, _ node: Int) {
        self.json = json
        self.node = node
    }

    /// The outermost value of a JSON text.
    package init(_ json: StrictJSON) {
        self.init(json, StrictJSON.root)
    }

    package var isNull: Bool { json.kind(node) == .null }
    package var isObject: Bool { json.kind(node) == .object }

    /// The member of an object with exactly this name, compared byte for byte; nil if there is none or this is no
    /// object.
    package subscript(name: String) -> JSONValue? {
        var name = name
        return name.withUTF8 { json.member($0, of: node) }.map { JSONValue(json, $0) }
    }

    /// The members of an object, in the order of the text; nil if this is no object.
    package var members: [(name: String, value: JSONValue)]? {
        guard isObject else { return nil }
        var members: [(name: String, value: JSONValue)] = []
        let end = Int(json.nodes[node].next)
        var key = node + 1
        while key < end {
            members.append((json.string(key) ?? "", JSONValue(json, key + 1)))
            key = Int(json.nodes[key + 1].next)
        }
        return members
    }

    /// The elements of an array; nil if this is no array.
    package var elements: [JSONValue]? {
        guard json.kind(node) == .array else { return nil }
        return json.elements(of: node).map { JSONValue(json, $0) }
    }

    /// The decoded text of a string; nil if this is no string.
    package var string: String? { json.string(node) }

    /// The value of `true` or `false`; nil if this is neither.
    package var flag: Bool? {
        switch json.kind(node) {
        case .isTrue: true
        case .isFalse: false
        case .object, .array, .string, .number, .null: nil
        }
    }

    /// The text of a number, unchanged; nil if this is no number.
    package var number: String? {
        guard json.kind(node) == .number else { return nil }
        return text(of: json.nodes[node])
    }

    /// The text of a number without fraction, exponent and negative zero; nil if this is anything else.
    package var integer: String? {
        guard json.kind(node) == .number, json.nodes[node].isPlain else { return nil }
        return text(of: json.nodes[node])
    }

    /// The bytes of the value in the JSON text; for a string, the bytes between its quotation marks.
    package var source: ArraySlice<UInt8> {
        json.bytes[Int(json.nodes[node].start)..<Int(json.nodes[node].end)]
    }

    private func text(of node: StrictJSON.Node) -> String {
        String(decoding: json.bytes[Int(node.start)..<Int(node.end)], as: UTF8.self)
    }
}
