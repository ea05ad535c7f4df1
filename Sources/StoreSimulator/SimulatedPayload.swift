/// A JSON object to be signed. Members are written in order and without white space, as the App Store writes them.
///
/// A payload may have members that the App Store would never sign, for tests of refused evidence.
package struct SimulatedPayload: Sendable {
    /// A value of JSON.
    package enum Value: Sendable {
        case string(String)
        case integer(Int64)
        case boolean(Bool)
        case array([Value])
        case object(SimulatedPayload)
        /// JSON text that is written unchanged.
        case verbatim(String)
    }

    /// The members in order; a name may occur twice.
    package var members: [(name: String, value: Value)]

    package init(_ members: [(name: String, value: Value)] = []) {
        self.members = members
    }

    /// The first member of that name. Setting it replaces the value in place or appends a member; setting `nil` removes
    /// the member.
    package subscript(_ name: String) -> Value? {
        get { members.first { $0.name == name }?.value }
        set {
            let place = members.firstIndex { $0.name == name }
            switch (place, newValue) {
            case (let place?, let value?): members[place].value = value
            case (let place?, nil): members.remove(at: place)
            case (nil, let value?): members.append((name, value))
            case (nil, nil): break
            }
        }
    }

    /// The JSON text.
    package var json: String {
        "{" + members.map { Self.quoted($0.name) + ":" + $0.value.json }.joined(separator: ",") + "}"
    }

    /// A JSON string with the escapes that RFC 8259 §7 demands.
    package static func quoted(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
        guard !isPlain else { return "\"" + text + "\"" }
        var json = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": json += "\\\""
            case "\\": json += "\\\\"
            case "\u{00}"..<"\u{20}": json += "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
            default: json.unicodeScalars.append(scalar)
            }
        }
        return json + "\""
    }
}

extension SimulatedPayload.Value {
    /// The JSON text.
    package var json: String {
        switch self {
        case .string(let text): SimulatedPayload.quoted(text)
        case .integer(let integer): String(integer)
        case .boolean(let boolean): boolean ? "true" : "false"
        case .array(let elements): "[" + elements.map(\.json).joined(separator: ",") + "]"
        case .object(let object): object.json
        case .verbatim(let text): text
        }
    }
}

extension SimulatedPayload {
    /// Appends a text member unless the value is nil.
    mutating func add(_ name: String, _ text: String?) {
        if let text { members.append((name, .string(text))) }
    }

    /// Appends a number member unless the value is nil.
    mutating func add(_ name: String, _ integer: Int64?) {
        if let integer { members.append((name, .integer(integer))) }
    }

    /// Appends a Boolean member unless the value is nil.
    mutating func add(_ name: String, _ boolean: Bool?) {
        if let boolean { members.append((name, .boolean(boolean))) }
    }
}
