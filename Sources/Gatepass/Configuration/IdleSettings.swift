/// Known settings that no code reads yet, so that operators can write them in advance.
enum IdleSettings {
    static let keys = ["retention.access_log_days"]

    /// The keys of idle settings whose value is not the default.
    static func set(in settings: [EffectiveSetting]) -> [String] {
        var reader = SettingsReader(layers: [])
        _ = Settings(&reader)
        let defaults = Dictionary(
            reader.effective.map { ($0.key, $0.shown) }, uniquingKeysWith: { first, _ in first })
        return settings.filter { keys.contains($0.key) && $0.shown != defaults[$0.key] }.map(\.key)
    }
}
