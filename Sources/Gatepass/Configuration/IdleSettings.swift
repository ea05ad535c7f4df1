/// Known settings that no code reads yet, so that operators can write them in advance.
enum IdleSettings {
    static let keys = ["retention.access_log_days"]

    /// The keys of idle settings whose value is not the default.
    static func set(in settings: [EffectiveSetting]) -> [String] {
        settings.filter { keys.contains($0.key) && $0.shown != EffectiveSetting.defaults[$0.key] }.map(\.key)
    }
}
