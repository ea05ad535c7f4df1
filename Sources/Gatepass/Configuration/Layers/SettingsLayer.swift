import Configuration

/// A layer of settings: a provider of swift-configuration, and the origin of each of its values.
struct SettingsLayer {
    private let provider: any ConfigProvider
    private let origin: (_ key: String) -> Origin

    /// A layer of texts by key, such as a credentials directory. Lists are split at `separator`.
    init(texts: [String: String], separator: Character, origin: @escaping (_ key: String) -> Origin) {
        let variables = texts.map { (Self.variable(for: $0.key), $0.value) }
        // If two keys have the same variable name, at most one of them is known. The unknown one is refused elsewhere.
        provider = EnvironmentVariablesProvider(
            environmentVariables: Dictionary(variables, uniquingKeysWith: { first, _ in first }),
            arraySeparator: separator)
        self.origin = origin
    }

    /// A layer of the process environment.
    init(environment: [String: String]) {
        provider = EnvironmentVariablesProvider(environmentVariables: environment)
        origin = { .environment(Self.variable(for: $0)) }
    }

    /// A layer of a YAML file.
    init(file: SettingsFile) {
        let values = file.values.map { (Self.path(of: $0.key), ConfigValue($0.value.content, isSecret: false)) }
        provider = InMemoryProvider(name: file.name, values: Dictionary(uniqueKeysWithValues: values))
        origin = { .file(file.name, line: file.values[$0]?.line ?? 1) }
    }

    /// The layer's value of `key`; nil if it has none. Throws `Mismatch` if the value has neither `type` nor
    /// `otherType`.
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

    /// A value of the wrong type, by its origin.
    struct Mismatch: Error {
        let origin: Origin
    }

    /// The environment variable of a key, such as `GATEPASS_HTTP_PORT` for `http.port`.
    static func variable(for key: String) -> String {
        "GATEPASS_" + String(key.map { $0 == "." ? "_" : $0 }).uppercased()
    }

    private static func path(of key: String) -> AbsoluteConfigKey {
        AbsoluteConfigKey(["gatepass"] + key.split(separator: ".").map(String.init))
    }
}
