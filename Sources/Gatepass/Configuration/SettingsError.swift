/// All faults of the settings; never empty.
struct SettingsError: Error, Hashable, Sendable, CustomStringConvertible {
    let faults: [Fault]
    /// The effective settings. A faulty value is replaced by its default.
    let effective: [EffectiveSetting]

    /// The faults, one a line.
    var description: String { faults.map(\.description).joined(separator: "\n") }
}
