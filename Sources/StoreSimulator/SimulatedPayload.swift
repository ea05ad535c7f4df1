/// A JSON object to be signed: members in order, written as the App Store writes them, without blanks.
///
/// A payload may have any members, also such as the App Store would never sign; tests that build evidence to be refused
/// need that.
package struct SimulatedPayload: Sendable {
    /// A value of JSON.
    package enum Value: Sendable {
        case string(String)
        case integer(Int64)
        case boolean(Bool)
        case array([Value])
        case object(SimulatedPayload)
        /// Text that stands as it is.
        case verbatim(String)
    }

    /// Names and values; a name may stand twice here.
    package var members: [(name: String, value: Value)]

    package init(_ members: [(name: String, value: Value)] = []) {
        self.members = members
    }

    /// Setting a member changes it in place or appends it; setting `nil` removes it.
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
    /// Appends a member if there is something to write.
    mutating func add(_ name: String, _ text: String?) {
        if let text { members.append((name, .string(text))) }
    }

    /// Appends a member if there is something to write.
    mutating func add(_ name: String, _ integer: Int64?) {
        if let integer { members.append((name, .integer(integer))) }
    }

    /// Appends a member if there is something to write.
    mutating func add(_ name: String, _ boolean: Bool?) {
        if let boolean { members.append((name, .boolean(boolean))) }
    }
}
