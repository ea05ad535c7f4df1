import Configuration

/// Reads settings key by key. It asks the layers in order, the strongest first, and collects faults.
///
/// Reading a key makes it a known key. So a key, its type, its range and its default stand in one line of code. After a
/// fault the default is returned; when all settings are read, the caller throws the collected faults.
struct SettingsReader {
    private let layers: [SettingsLayer]
    private(set) var effective: [EffectiveSetting] = []
    private(set) var faults: [Fault] = []
    /// Keys with a fault, whose values must be ignored.
    private(set) var faultyKeys: Set<String> = []
    /// All keys that were read so far.
    private(set) var keys: [String] = []
    /// The keys of settings that hold secrets.
    private(set) var secretKeys: [String] = []
    /// The keys of secrets that consist only of white space.
    private(set) var blankSecretKeys: [String] = []
    /// The origin of each key's value.
    private(set) var origins: [String: Origin] = [:]

    init(layers: [SettingsLayer]) {
        self.layers = layers
    }

    /// A text; empty if it is missing and has no default.
    mutating func text(_ key: String, default: String = "") -> String {
        let found = lookUp(key, as: .string, called: "a text", writtenAs: "a text in quotes") { $0.text }
        return note(key, found, default: `default`) { quoted($0) }
    }

    /// A text; nil if it is empty or missing.
    mutating func optionalText(_ key: String) -> String? {
        let value = text(key)
        return value.isEmpty ? nil : value
    }

    /// An `http` or `https` URL; nil if it is empty or missing.
    ///
    /// No message shows the user part of a refused URL, because it may contain a password.
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

    /// A whole number in `0...upperBound`. Nil for 0, which means "off" or "for ever".
    mutating func integerOrNever(_ key: String, default: Int, upTo upperBound: Int) -> Int? {
        let value = integer(key, default: `default`, in: 0...upperBound)
        return value == 0 ? nil : value
    }

    /// `true` or `false`.
    mutating func boolean(_ key: String, default: Bool) -> Bool {
        let found = lookUp(key, as: .bool, called: "true or false") { $0.boolean }
        return note(key, found, default: `default`) { "\($0)" }
    }

    /// A word that must be a case of `Choice`.
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

    /// A list of texts without empty ones.
    mutating func texts(_ key: String, default: [String] = []) -> [String] {
        let found = lookUp(key, as: .stringArray, called: "a list of texts", writtenAs: "[\"…\", \"…\"]") { $0.texts }
        return note(key, found, default: `default`) { list($0) }
    }

    /// A list of texts. A single text counts as a list of one.
    mutating func textOrTexts(_ key: String, default: String) -> [String] {
        let found = lookUp(key, as: .stringArray, or: .string, called: "a text or a list of texts") {
            $0.texts ?? $0.text.map { [$0] }
        }
        return note(key, found, default: [`default`]) { $0.count == 1 ? quoted($0[0]) : list($0) }
    }

    /// A list of texts that `parse` converts. `form` describes the texts that `parse` accepts, for the fault's message.
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

    /// A list of secrets without empty ones.
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

    /// Notes a fault of `key` at the origin of its value.
    mutating func report(_ key: String, _ problem: String, _ remedy: String) {
        faultyKeys.insert(key)
        faults.append(Fault(place: (origins[key] ?? .builtIn).place(of: key), problem: problem, remedy: remedy))
    }
}

extension SettingsReader {
    private typealias Found<Value> = (value: Value, origin: Origin)

    /// The value of `key` in the strongest layer that has it, as `type` or else as `otherType`. A value of neither type
    /// is a fault.
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

    /// Notes value and origin for `gatepass config check`. `show` makes the text that is shown.
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

    /// The texts of a list. An empty variable is split into one empty text, which is no item.
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
