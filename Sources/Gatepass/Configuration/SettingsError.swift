/// All faults of the settings; never empty.
struct SettingsError: Error, Hashable, Sendable, CustomStringConvertible {
    let faults: [Fault]
    /// The settings as read, with defaults where a value was wrong.
    let effective: [EffectiveSetting]

    /// A line for each fault.
    var description: String { faults.map(\.description).joined(separator: "\n") }
}
