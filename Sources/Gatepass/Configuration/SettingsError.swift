/// Everything that is wrong with the settings; never empty.
struct SettingsError: Error, Hashable, Sendable, CustomStringConvertible {
    let faults: [Fault]
    /// What was read nevertheless, with defaults where a value was wrong.
    let effective: [EffectiveSetting]

    /// One fault a line.
    var description: String { faults.map(\.description).joined(separator: "\n") }
}
