import StrictJSON

/// Reads of single members with strict types; a member that is `null` counts as missing.
extension JSONBody {
    /// - Throws: `invalid_request` if the body is no object.
    func requireObject() throws(Problem) {
        guard value.isObject else { throw .invalidRequest("The body must be an object.", at: "#") }
    }

    /// The member `name`, which `read` reads.
    ///
    /// - Throws: `invalid_request` if `read` gives nil, and what `read` throws.
    func required<Value>(
        _ name: String, _ read: (String) throws(Problem) -> Value?
    ) throws(Problem) -> Value {
        guard let value = try read(name) else {
            throw .invalidRequest("The member is required.", at: "#/" + name)
        }
        return value
    }

    /// The text in the optional member `name`. Its length is counted in Unicode code points.
    ///
    /// - Throws: `invalid_request` for anything else.
    func text(_ name: String, characters bounds: ClosedRange<Int>) throws(Problem) -> String? {
        guard let member = member(name) else { return nil }
        guard let text = member.string, bounds.contains(text.unicodeScalars.count) else {
            throw .invalidRequest(
                "The member must be a string of \(bounds.lowerBound) to \(bounds.upperBound) characters.",
                at: "#/" + name)
        }
        return text
    }

    /// The required text of up to 255 characters in the member `name`.
    ///
    /// - Throws: `invalid_request` if it is missing, empty, longer or no text.
    func requiredText(_ name: String) throws(Problem) -> String {
        try required(name) { name throws(Problem) in try text(name, characters: 1...255) }
    }

    /// The whole number in the optional member `name`; `490.0` is whole, as in JSON Schema.
    ///
    /// - Throws: `invalid_request` for anything else.
    func integer(_ name: String, in bounds: ClosedRange<Int>) throws(Problem) -> Int? {
        guard let member = member(name) else { return nil }
        guard let number = member.whole, bounds.contains(number) else {
            throw .invalidRequest(
                "The member must be a whole number from \(bounds.lowerBound) to \(bounds.upperBound).", at: "#/" + name)
        }
        return number
    }

    /// The Boolean in the optional member `name`.
    ///
    /// - Throws: `invalid_request` for anything but `true` and `false`.
    func flag(_ name: String) throws(Problem) -> Bool? {
        guard let member = member(name) else { return nil }
        guard let flag = member.flag else {
            throw .invalidRequest("The member must be true or false.", at: "#/" + name)
        }
        return flag
    }

    /// The case of `Choice` whose raw value is the member `name`; nil if the member is missing.
    ///
    /// - Throws: `invalid_request` for anything else.
    func choice<Choice: RawRepresentable<String> & CaseIterable>(_ name: String) throws(Problem) -> Choice? {
        guard let member = member(name) else { return nil }
        guard let choice = member.string.flatMap({ Choice(rawValue: $0) }) else {
            let known = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw .invalidRequest("The member must be one of \(known).", at: "#/" + name)
        }
        return choice
    }

    /// Refuses each of the members `names`, which may not stand beside the member `other`.
    func refuse(_ names: [String], beside other: String) throws(Problem) {
        for name in names where member(name) != nil {
            throw .invalidRequest("The member cannot stand beside \(other).", at: "#/" + name)
        }
    }

    /// The first member of the body among several spellings of its name.
    func first(of names: [String]) -> (name: String, value: JSONValue)? {
        for name in names {
            if let value = member(name) { return (name, value) }
        }
        return nil
    }

    private func member(_ name: String) -> JSONValue? {
        value[name].flatMap { $0.isNull ? nil : $0 }
    }
}

extension JSONValue {
    /// The whole number; nil if it has a fraction other than zero, or is no number.
    fileprivate var whole: Int? {
        guard let number else { return nil }
        let parts = number.split(separator: ".", maxSplits: 1)
        guard parts.count == 1 || parts[1].utf8.allSatisfy({ $0 == UInt8(ascii: "0") }) else { return nil }
        return Int(parts[0])
    }
}
