/// The inputs of settings, as values: no reader of settings touches the process.
struct SettingsInputs: Sendable {
    /// A configuration file's name, as messages show it, and its text.
    struct File: Sendable {
        let name: String
        let text: String
    }

    /// The settings of the command line, by key (`http.port`), as text; the strongest layer.
    var commandLine: [String: String] = [:]
    /// The process environment; only `GATEPASS_*` counts.
    var environment: [String: String] = [:]
    /// The credentials directory: file name, which is the key (`auth.hs256_secret`), to content.
    ///
    /// A name that begins like a key of ours and is none is refused; others are left alone: the directory may hold keys
    /// for other uses.
    var credentials: [String: String] = [:]
    /// `config/gatepass.yaml`, where there is one.
    var file: File?
    /// Reads the file that a `GATEPASS_…_FILE` variable names; throws when it cannot.
    var readFile: @Sendable (_ path: String) throws -> String = { _ in throw NoFiles() }

    /// Thrown by a layer that was given no files to read.
    struct NoFiles: Error {}
}
