import Entitlements

/// The query of a URL, decoded strictly. A parameter that is read may occur only once.
///
/// A `+` stands for itself and not for a space (RFC 3986 §2.2), so that the offset in an instant needs no escape.
struct Query {
    private let pairs: [(name: String, value: String)]

    /// - Throws: `invalid_request` if an escape is malformed or the decoded text is not UTF-8.
    init(_ text: String?) throws(Problem) {
        guard let text, !text.isEmpty else {
            pairs = []
            return
        }
        var pairs: [(name: String, value: String)] = []
        for pair in text.utf8.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = parts.first.flatMap(Self.decoded),
                let value = Self.decoded(parts.count > 1 ? parts[1] : pair[..<pair.startIndex])
            else { throw .invalidRequest("The query is not well-formed.", at: "?") }
            pairs.append((name, value))
        }
        self.pairs = pairs
    }

    /// - Throws: `invalid_request` for a parameter that is not `known`, with the nearest known name, or for a parameter
    ///   that occurs more than once.
    func requireOnly(_ known: [String]) throws(Problem) {
        for pair in pairs where !known.contains(where: { $0.utf8.elementsEqual(pair.name.utf8) }) {
            let name = String(String.UnicodeScalarView(pair.name.unicodeScalars.prefix(Self.maximumTold)))
            let nearest = known.min { Self.distance(from: name, to: $0) < Self.distance(from: name, to: $1) }
            let detail = nearest.map { "There is no such parameter here; the nearest is \($0)." }
            throw .invalidRequest(detail ?? "There are no parameters here.", at: "?" + name)
        }
        for name in known { _ = try text(name) }
    }

    /// The most characters of an unknown name that the problem repeats.
    private static let maximumTold = 64

    /// The number of bytes that must be inserted, deleted or replaced to turn `name`, in lower case, into `other`.
    private static func distance(from name: String, to other: String) -> Int {
        let (name, other) = (Array(name.lowercased().utf8), Array(other.utf8))
        var row = Array(0...other.count)
        for (index, byte) in name.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in other.indices {
                let replaced = diagonal + (byte == other[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, diagonal + 1, row[column] + 1)
            }
        }
        return row[other.count]
    }

    /// The value of the parameter `name`; nil if it is missing.
    ///
    /// - Throws: `invalid_request` if the parameter occurs more than once.
    func text(_ name: String) throws(Problem) -> String? {
        let values = pairs.lazy.filter { $0.name.utf8.elementsEqual(name.utf8) }.map(\.value)
        guard let value = values.first else { return nil }
        guard values.count == 1 else {
            throw .invalidRequest("The parameter may be given once only.", at: "?" + name)
        }
        return value
    }

    /// The RFC 3339 instant in the parameter `name`; nil if it is missing.
    ///
    /// - Throws: `invalid_request` for anything else.
    func instant(_ name: String) throws(Problem) -> Instant? {
        guard let text = try text(name) else { return nil }
        guard let instant = RFC3339.instant(text) else {
            throw .invalidRequest(
                "The parameter must be an RFC 3339 instant such as 2026-01-15T00:00:00Z.", at: "?" + name)
        }
        return instant
    }

    /// The Boolean in the parameter `name`: true for `1` and `true`, false for `0`, `false` and a missing parameter.
    ///
    /// - Throws: `invalid_request` for anything else.
    func flag(_ name: String) throws(Problem) -> Bool {
        switch try text(name) {
        case nil, "0", "false": false
        case "1", "true": true
        default: throw .invalidRequest("The parameter must be 1 or 0.", at: "?" + name)
        }
    }

    /// The case of `Choice` whose raw value is the parameter `name`; nil if it is missing.
    ///
    /// - Throws: `invalid_request` for anything else.
    func choice<Choice: RawRepresentable<String> & CaseIterable>(_ name: String) throws(Problem) -> Choice? {
        guard let text = try text(name) else { return nil }
        guard let choice = Choice(rawValue: text) else {
            let known = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw .invalidRequest("The parameter must be one of \(known).", at: "?" + name)
        }
        return choice
    }

    /// The one of `known` that the parameter `name` names; nil if it is missing.
    ///
    /// - Throws: `invalid_request` if it names none of them.
    func name<Known: Identifier>(_ name: String, among known: [Known]) throws(Problem) -> Known? {
        guard let text = try text(name) else { return nil }
        guard let named = known.first(where: { $0.text.utf8.elementsEqual(text.utf8) }) else {
            let known = known.map(\.text).joined(separator: ", ")
            throw .invalidRequest("The parameter must be one of \(known).", at: "?" + name)
        }
        return named
    }

    /// The user id in the parameter `name`; nil if it is missing.
    ///
    /// - Throws: `invalid_request` for anything else.
    func user(_ name: String) throws(Problem) -> UserID? {
        guard let text = try text(name) else { return nil }
        guard let user = UserID(text) else {
            throw .invalidRequest("The parameter must be a user id.", at: "?" + name)
        }
        return user
    }

    /// The decimal number in the parameter `name`, within `bounds`; nil if it is missing.
    ///
    /// - Throws: `invalid_request` for anything else.
    func integer(_ name: String, in bounds: ClosedRange<Int>) throws(Problem) -> Int? {
        guard let text = try text(name) else { return nil }
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text), bounds.contains(number)
        else {
            let detail = "The parameter must be a whole number from \(bounds.lowerBound) to \(bounds.upperBound)."
            throw .invalidRequest(detail, at: "?" + name)
        }
        return number
    }

    /// The app that the parameter `bundle_id` names. The parameter may be missing if the catalogue has only one app.
    ///
    /// - Throws: `invalid_request` if the parameter is missing and there are several apps, `not_found` for an app that
    ///   `catalogue` does not have.
    func app(of catalogue: Catalogue) throws(Problem) -> AppID {
        guard let bundleID = try text("bundle_id") else {
            guard catalogue.apps.count == 1 else {
                throw .invalidRequest("There are several apps; one must be named.", at: "?bundle_id")
            }
            return catalogue.apps[0].id
        }
        let id = AppID(bundleID)
        guard catalogue.apps.contains(where: { $0.id == id }) else {
            throw Problem(.notFound, "No app has this bundle id.")
        }
        return id
    }

    static func decoded(_ text: Substring.UTF8View) -> String? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var rest = text
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(hexadecimalValue),
                let low = rest.popFirst().flatMap(hexadecimalValue)
            else { return nil }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func hexadecimalValue(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
