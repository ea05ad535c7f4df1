import Configuration

/// Reads settings one key at a time through the layers, strongest first, and notes what it met.
///
/// A key is known because it was read, so a key, its type, its range and its default stand in one place. A fault is
/// noted and the default returned; the caller throws what was noted when everything has been read.
struct SettingsReader {
    private let layers: [SettingsLayer]
    private(set) var effective: [EffectiveSetting] = []
    private(set) var faults: [Fault] = []
    /// Keys of which a fault is noted; their value counts for nothing.
    private(set) var faultyKeys: Set<String> = []
    /// Every key read so far.
    private(set) var keys: [String] = []
    /// The keys of settings that hold secrets.
    private(set) var secretKeys: [String] = []
    /// The keys of secrets that are nothing but blanks.
    private(set) var blankSecretKeys: [String] = []
    /// Where each key's value came from.
    private(set) var origins: [String: Origin] = [:]

    init(layers: [SettingsLayer]) {
        self.layers = layers
    }

    /// Any text; empty when it is left out and has no default.
    mutating func text(_ key: String, default: String = "") -> String {
        let found = lookUp(key, as: .string, called: "a text", writtenAs: "a text in quotes") { $0.text }
        return note(key, found, default: `default`) { quoted($0) }
    }

    /// A text, or nil when it is empty or left out.
    mutating func optionalText(_ key: String) -> String? {
        let value = text(key)
        return value.isEmpty ? nil : value
    }

    /// An `http` or `https` URL, or nil when it is empty or left out.
    ///
    /// No message shows the user part of a refused address: a password may stand there.
    mutating func address(_ key: String) -> WebAddress? {
        let found = lookUp(key, as: .string, called: "a text", writtenAs: "a text in quotes") { $0.text }
        let text = note(key, found, default: "") { quoted(WebAddress.withoutUser($0)) }
        guard !text.isEmpty else { return nil }
        guard let address = WebAddress(text) else {
            let shown = WebAddress.withoutUser(text)
            let form = "an http or https URL" + (shown == text ? "" : " without a user")
            report(key, "\(key) is \(quoted(shown)), which is not \(form)", "write \(form)")
            return nil
        }
        return address
    }

    /// A whole number in `range`.
    mutating func integer(_ key: String, default: Int, in range: ClosedRange<Int>) -> Int {
        let found = lookUp(key, as: .int, called: "a whole number", writtenAs: "a number without quotes") { $0.integer }
        let value = note(key, found, default: `default`) { "\($0)" }
        guard range.contains(value) else {
            report(
                key, "\(key) is \(value), which is out of range",
                "write a number from \(range.lowerBound) to \(range.upperBound)")
            return `default`
        }
        return value
    }

    /// A whole number in `0...upperBound` of which 0 stands for "off" or "for ever": nil.
    mutating func integerOrNever(_ key: String, default: Int, upTo upperBound: Int) -> Int? {
        let value = integer(key, default: `default`, in: 0...upperBound)
        return value == 0 ? nil : value
    }

    /// `true` or `false`.
    mutating func boolean(_ key: String, default: Bool) -> Bool {
        let found = lookUp(key, as: .bool, called: "true or false") { $0.boolean }
        return note(key, found, default: `default`) { "\($0)" }
    }

    /// A word of a closed set.
    mutating func choice<Choice>(_ key: String, default: Choice) -> Choice
    where Choice: RawRepresentable<String> & CaseIterable {
        let words = Choice.allCases.map(\.rawValue)
        let found = lookUp(key, as: .string, called: "one of \(words.joined(separator: ", "))") { $0.text }
        let word = note(key, found, default: `default`.rawValue) { $0 }
        guard let choice = Choice(rawValue: word) else {
            let meant = NearestName.nearest(to: word, among: words) ?? words.joined(separator: " or ")
            report(
                key, "\(key) is \(quoted(word)), which is none of \(words.joined(separator: ", "))", "write \(meant)")
            return `default`
        }
        return choice
    }

    /// A list of texts, none of them empty.
    mutating func texts(_ key: String, default: [String] = []) -> [String] {
        let found = lookUp(key, as: .stringArray, called: "a list of texts", writtenAs: "[\"…\", \"…\"]") { $0.texts }
        return note(key, found, default: `default`) { list($0) }
    }

    /// A list of texts, or one text that stands for a list of one.
    mutating func textOrTexts(_ key: String, default: String) -> [String] {
        let found = lookUp(key, as: .stringArray, or: .string, called: "a text or a list of texts") {
            $0.texts ?? $0.text.map { [$0] }
        }
        return note(key, found, default: [`default`]) { $0.count == 1 ? quoted($0[0]) : list($0) }
    }

    /// A list of texts that `parse` turns into values; `form` says what each must be.
    mutating func parsedList<Value>(_ key: String, form: String, _ parse: (String) -> Value?) -> [Value] {
        texts(key).compactMap { text in
            let value = parse(text)
            if value == nil { report(key, "\(key) has \(quoted(text)), which is not \(form)", "write \(form)") }
            return value
        }
    }

    /// A list of origins of web pages, each exactly as browsers write it.
    mutating func origins(_ key: String) -> [PageOrigin] {
        texts(key).compactMap { text in
            let shown = quoted(WebAddress.withoutUser(text))
            guard let origin = PageOrigin(text) else {
                report(
                    key, "\(key) has \(shown), which is not the origin of a web page",
                    "write scheme, host and port as browsers do, such as https://shop.example.com or "
                        + "http://localhost:5173")
                return nil
            }
            guard origin.text == text else {
                report(
                    key, "\(key) has \(shown), and browsers write that origin otherwise", "write \(origin.text)")
                return nil
            }
            return origin
        }
    }

    /// A secret, or nil when it is empty or left out; its `GATEPASS_…_FILE` may name a file.
    mutating func secret(_ key: String) -> Secret? {
        secretKeys.append(key)
        let found = lookUp(key, as: .string, called: "a text", writtenAs: "a text in quotes") { $0.text }
        let text = note(key, found, default: "") { $0.isEmpty ? "(not set)" : "(set)" }
        return secrets(key, [text]).first
    }

    /// A list of secrets, none of them empty.
    mutating func secrets(_ key: String) -> [Secret] {
        secretKeys.append(key)
        let found = lookUp(key, as: .stringArray, called: "a list of texts", writtenAs: "[\"…\", \"…\"]") { $0.texts }
        return secrets(key, note(key, found, default: []) { $0.isEmpty ? "(not set)" : "(set, \($0.count))" })
    }

    private mutating func secrets(_ key: String, _ texts: [String]) -> [Secret] {
        let secrets = texts.compactMap(Secret.init)
        if secrets.contains(where: \.isBlank) { blankSecretKeys.append(key) }
        return secrets
    }

    /// Notes a fault of `key` at the place its value came from.
    mutating func report(_ key: String, _ problem: String, _ remedy: String) {
        faultyKeys.insert(key)
        faults.append(Fault(place: (origins[key] ?? .builtIn).place(of: key), problem: problem, remedy: remedy))
    }
}

extension SettingsReader {
    private typealias Found<Value> = (value: Value, origin: Origin)

    /// The strongest layer's value of `key` as `type`, else as `otherType`; a value of neither is a fault.
    private mutating func lookUp<Value>(
        _ key: String, as type: ConfigType, or otherType: ConfigType? = nil, called form: String,
        writtenAs example: String? = nil,
        _ extract: (ConfigContent) -> Value?
    ) -> Found<Value>? {
        keys.append(key)
        for layer in layers {
            do throws(SettingsLayer.Mismatch) {
                guard let found = try layer.value(for: key, as: type, or: otherType) else { continue }
                guard let value = extract(found.content) else {
                    throw SettingsLayer.Mismatch(origin: found.origin)
                }
                return (value, found.origin)
            } catch {
                origins[key] = error.origin
                report(key, "\(key) is not \(form)", "write \(error.origin.isFile ? example ?? form : form)")
                return nil
            }
        }
        return nil
    }

    /// Keeps the value and its origin for `config check`, shown as `show` writes it.
    private mutating func note<Value>(
        _ key: String, _ found: Found<Value>?, default: Value, _ show: (Value) -> String
    ) -> Value {
        let value = found?.value ?? `default`
        let origin = found?.origin ?? origins[key] ?? .builtIn
        origins[key] = origin
        effective.append(EffectiveSetting(key: key, shown: show(value), origin: origin))
        return value
    }
}

extension ConfigContent {
    fileprivate var text: String? {
        if case .string(let value) = self { value } else { nil }
    }

    fileprivate var integer: Int? {
        if case .int(let value) = self { value } else { nil }
    }

    fileprivate var boolean: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// An empty variable is split into one empty text: no item.
    fileprivate var texts: [String]? {
        if case .stringArray(let values) = self { values.filter { !$0.isEmpty } } else { nil }
    }
}

/// `text` in double quotes, as YAML and JSON write it.
private func quoted(_ text: String) -> String {
    let escaped = text.map { character in
        switch character {
        case "\"": "\\\""
        case "\\": "\\\\"
        case "\n": "\\n"
        default: String(character)
        }
    }
    return "\"\(escaped.joined())\""
}

private func list(_ texts: [String]) -> String {
    "[\(texts.map(quoted).joined(separator: ", "))]"
}
