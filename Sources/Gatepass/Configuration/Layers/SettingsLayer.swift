import Configuration

/// A layer of settings: a swift-configuration provider and the origin of each value in it.
struct SettingsLayer {
    private let provider: any ConfigProvider
    private let origin: (_ key: String) -> Origin

    /// Texts by key, such as a credentials directory; lists are split at `separator`.
    init(texts: [String: String], separator: Character, origin: @escaping (_ key: String) -> Origin) {
        let variables = texts.map { (Self.variable(for: $0.key), $0.value) }
        // Two keys with one variable name cannot both be known keys: the unknown one is refused elsewhere.
        provider = EnvironmentVariablesProvider(
            environmentVariables: Dictionary(variables, uniquingKeysWith: { first, _ in first }),
            arraySeparator: separator)
        self.origin = origin
    }

    /// The process environment.
    init(environment: [String: String]) {
        provider = EnvironmentVariablesProvider(environmentVariables: environment)
        origin = { .environment(Self.variable(for: $0)) }
    }

    /// A YAML file.
    init(file: SettingsFile) {
        let values = file.values.map { (Self.path(of: $0.key), ConfigValue($0.value.content, isSecret: false)) }
        provider = InMemoryProvider(name: file.name, values: Dictionary(uniqueKeysWithValues: values))
        origin = { .file(file.name, line: file.values[$0]?.line ?? 1) }
    }

    /// The layer's value for `key`, or nil. Throws `Mismatch` when it is neither of `type` nor of `otherType`.
    func value(
        for key: String, as type: ConfigType, or otherType: ConfigType? = nil
    ) throws(Mismatch) -> (content: ConfigContent, origin: Origin)? {
        do {
            let found = try provider.value(forKey: Self.path(of: key), type: type)
            return found.value.map { ($0.content, origin(key)) }
        } catch {
            guard let otherType else { throw Mismatch(origin: origin(key)) }
            return try value(for: key, as: otherType)
        }
    }

    /// A value that is not of the type asked for, and where it stands.
    struct Mismatch: Error {
        let origin: Origin
    }

    /// `http.port` is `GATEPASS_HTTP_PORT`.
    static func variable(for key: String) -> String {
        "GATEPASS_" + String(key.map { $0 == "." ? "_" : $0 }).uppercased()
    }

    private static func path(of key: String) -> AbsoluteConfigKey {
        AbsoluteConfigKey(["gatepass"] + key.split(separator: ".").map(String.init))
    }
}
