/// The settings, and for each key its effective value with its origin.
struct LoadedSettings: Sendable {
    let settings: Settings
    /// The effective settings in the order of `config/gatepass.yaml`.
    let effective: [EffectiveSetting]

    /// Reads all sources. Throws all faults at once, among them unknown keys and settings that production refuses.
    init(from inputs: SettingsInputs) throws(SettingsError) {
        let known = KnownKeys()
        let file = inputs.file.map(SettingsFile.init)
        let secretFiles = SecretFiles(inputs, keys: known.secrets)
        var reader = SettingsReader(layers: Self.layers(inputs, secretFiles, file))
        let settings = Settings(&reader)
        settings.refuseUnfitForProduction(&reader)
        let unknown =
            (file.map(known.faults(in:)) ?? []) + known.faults(inCommandLine: inputs.commandLine)
            + known.faults(inEnvironment: inputs.environment) + known.faults(inCredentials: inputs.credentials)
        let faults = (file?.faults ?? []) + unknown + secretFiles.faults + reader.faults
        guard faults.isEmpty else {
            throw SettingsError(faults: faults.inReadingOrder, effective: reader.effective)
        }
        self.settings = settings
        effective = reader.effective
    }

    /// The effective settings, and all faults.
    static func effective(from inputs: SettingsInputs) -> (settings: [EffectiveSetting], faults: [Fault]) {
        do throws(SettingsError) {
            return (try LoadedSettings(from: inputs).effective, [])
        } catch {
            return (error.effective, error.faults)
        }
    }

    /// The address of the server, for a command that asks it. Other sections may have faults, such as a secret that is
    /// given to the server alone. Throws the faults of `http`, and of a file that is not well-formed.
    static func http(from inputs: SettingsInputs) throws(SettingsError) -> Settings.HTTP {
        let file = inputs.file.map(SettingsFile.init)
        var reader = SettingsReader(layers: layers(inputs, SecretFiles(inputs, keys: []), file))
        let http = Settings.HTTP(&reader)
        let faults = (file?.faults ?? []) + reader.faults
        guard faults.isEmpty else { throw SettingsError(faults: faults.inReadingOrder, effective: reader.effective) }
        return http
    }

    private static func layers(
        _ inputs: SettingsInputs, _ secretFiles: SecretFiles, _ file: SettingsFile?
    ) -> [SettingsLayer] {
        var layers = [
            SettingsLayer(texts: inputs.commandLine, separator: ",") { _ in .commandLine },
            SettingsLayer(environment: inputs.environment),
            SettingsLayer(texts: secretFiles.texts, separator: "\n") { .environment(SecretFiles.variable(for: $0)) },
            SettingsLayer(texts: inputs.credentials.mapValues(SecretFiles.trimmed), separator: "\n") {
                .credential($0)
            },
        ]
        if let file { layers.append(SettingsLayer(file: file)) }
        return layers
    }
}
