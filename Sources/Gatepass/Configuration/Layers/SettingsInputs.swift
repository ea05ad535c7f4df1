/// The sources of the settings as values. Code that reads settings uses only these, and never the process itself.
struct SettingsInputs: Sendable {
    /// A configuration file: its name for messages, and its text.
    struct File: Sendable {
        let name: String
        let text: String
    }

    /// Settings from the command line, as texts by key (`http.port`). They are the strongest layer.
    var commandLine: [String: String] = [:]
    /// The process environment; only variables named `GATEPASS_*` are settings.
    var environment: [String: String] = [:]
    /// The contents of the credentials directory by file name. The name is a key (`auth.hs256_secret`).
    ///
    /// A name that begins like a key but is none is an error. Other names are ignored, because the directory may hold
    /// files for other programs.
    var credentials: [String: String] = [:]
    /// The file `config/gatepass.yaml`, if there is one.
    var file: File?
    /// Reads a file that a `GATEPASS_…_FILE` variable names; throws if it cannot.
    var readFile: @Sendable (_ path: String) throws -> String = { _ in throw NoFiles() }

    /// The error of the default `readFile`, which has no files.
    struct NoFiles: Error {}
}
