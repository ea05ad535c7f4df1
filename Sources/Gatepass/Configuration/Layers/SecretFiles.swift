/// The contents of the files that `GATEPASS_…_FILE` variables name.
struct SecretFiles {
    /// The secrets by key, without line breaks at the end.
    private(set) var texts: [String: String] = [:]
    private(set) var faults: [Fault] = []

    /// Reads the files of those `keys` that have one. In a list, each line is an item.
    ///
    /// A secret that both the environment and the credentials directory have is a fault: one of them is most likely
    /// forgotten, and old. A settings file is no such place, because it is written for all servers.
    init(_ inputs: SettingsInputs, keys: [String]) {
        for key in keys {
            let variable = Self.variable(for: key)
            let named = [variable, SettingsLayer.variable(for: key)].first { inputs.environment[$0] != nil }
            if let named, inputs.credentials[key] != nil, inputs.commandLine[key] == nil {
                report(named, "\(named) is set beside the \(Origin.credential(key))", "give the secret in one place")
            }
            guard let path = inputs.environment[variable] else { continue }
            if inputs.environment[SettingsLayer.variable(for: key)] != nil {
                report(variable, "\(variable) is set beside \(SettingsLayer.variable(for: key))", "set one of them")
                continue
            }
            do {
                texts[key] = Self.trimmed(try inputs.readFile(path))
            } catch {
                report(
                    variable, "the file \(path) that \(variable) names cannot be read",
                    "name a file that the server may read")
            }
        }
    }

    static func variable(for key: String) -> String { SettingsLayer.variable(for: key) + "_FILE" }

    /// `text` without carriage returns, and without line feeds at its end.
    static func trimmed(_ text: String) -> String {
        var scalars = text.unicodeScalars
        scalars.removeAll { $0 == "\r" }
        while scalars.last == "\n" { scalars.removeLast() }
        return String(scalars)
    }

    private mutating func report(_ variable: String, _ problem: String, _ remedy: String) {
        faults.append(Fault(place: .named(variable), problem: problem, remedy: remedy))
    }
}
