/// The origin of a setting's effective value. The cases begin with the strongest.
enum Origin: Hashable, Sendable, CustomStringConvertible {
    case commandLine
    case environment(String)
    /// A file of the credentials directory.
    case credential(String)
    case file(String, line: Int)
    case builtIn

    var description: String {
        switch self {
        case .commandLine: "command line"
        case .environment(let name): name
        case .credential(let name): "credential \(name)"
        case .file(let name, let line): "\(name):\(line)"
        case .builtIn: "default"
        }
    }

    /// True if the value comes from a YAML file. Messages then show a correct value with the quotes that YAML needs.
    var isFile: Bool {
        if case .file = self { true } else { false }
    }

    /// The place where an operator corrects the setting `key`.
    func place(of key: String) -> Fault.Place {
        switch self {
        case .commandLine: .named("command line, \(key)")
        case .environment(let name): .named(name)
        case .credential: .named("\(self)")
        case .file(let name, let line): .file(name, line: line)
        case .builtIn: .named(key)
        }
    }
}

/// A setting with its effective value, for `gatepass config check`. It does not contain the text of a secret.
struct EffectiveSetting: Hashable, Sendable {
    let key: String
    /// The value as the file would have it; `(set)` or `(not set)` for a secret.
    let shown: String
    let origin: Origin

    /// The default of each key, as it is shown.
    static let defaults: [String: String] = {
        var reader = SettingsReader(layers: [])
        _ = Settings(&reader)
        return Dictionary(reader.effective.map { ($0.key, $0.shown) }, uniquingKeysWith: { first, _ in first })
    }()
}
