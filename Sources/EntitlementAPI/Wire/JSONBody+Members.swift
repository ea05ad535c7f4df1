import StrictJSON

/// The members of an object, each read strictly; `null` is absent.
extension JSONBody {
    /// - Throws: `invalid_request` when the body is no object.
    func requireObject() throws(Problem) {
        guard value.isObject else { throw .invalidRequest("The body must be an object.", at: "#") }
    }

    /// - Throws: `invalid_request` for a member that is absent.
    func required<Value>(
        _ name: String, _ read: (String) throws(Problem) -> Value?
    ) throws(Problem) -> Value {
        guard let value = try read(name) else {
            throw .invalidRequest("The member is required.", at: "#/" + name)
        }
        return value
    }

    /// A text of so many characters, counted as Unicode code points.
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

    /// - Throws: `invalid_request` without a text of up to 255 characters.
    func requiredText(_ name: String) throws(Problem) -> String {
        try required(name) { name throws(Problem) in try text(name, characters: 1...255) }
    }

    /// A whole number between two bounds; `490.0` is one, as JSON Schema has it.
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

    /// - Throws: `invalid_request` for anything but `true` and `false`.
    func flag(_ name: String) throws(Problem) -> Bool? {
        guard let member = member(name) else { return nil }
        guard let flag = member.flag else {
            throw .invalidRequest("The member must be true or false.", at: "#/" + name)
        }
        return flag
    }

    /// A raw value of `Choice`; nil where the member is missing.
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

    /// Throws `invalid_request` for any of `names` in the body, which cannot stand beside `other`.
    func refuse(_ names: [String], beside other: String) throws(Problem) {
        for name in names where member(name) != nil {
            throw .invalidRequest("The member cannot stand beside \(other).", at: "#/" + name)
        }
    }

    /// The first member in the body of several spellings of one.
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
    /// A number without a fraction other than zero; nil if this is something else.
    fileprivate var whole: Int? {
        guard let number else { return nil }
        let parts = number.split(separator: ".", maxSplits: 1)
        guard parts.count == 1 || parts[1].utf8.allSatisfy({ $0 == UInt8(ascii: "0") }) else { return nil }
        return Int(parts[0])
    }
}
