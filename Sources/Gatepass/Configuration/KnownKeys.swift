/// The keys that `Settings` reads. Any other key in a source is an error.
struct KnownKeys {
    /// All keys, in the order of `config/gatepass.yaml`.
    let all: [String]
    /// The keys of settings that hold secrets.
    let secrets: [String]

    /// The prefix of variables that only this project's tests read.
    static let testPrefix = "GATEPASS_TEST_"

    private let set: Set<String>
    private let sections: Set<String>

    /// Learns the keys by reading all settings once from no source.
    init() {
        var reader = SettingsReader(layers: [])
        _ = Settings(&reader)
        all = reader.keys
        secrets = reader.secretKeys
        set = Set(all)
        sections = Set(all.compactMap { key in key.firstIndex(of: ".").map { String(key[..<$0]) } })
    }

    /// The faults of a file's keys: unknown keys, values where a section belongs, and keys without a value.
    func faults(in file: SettingsFile) -> [Fault] {
        let written = file.values.mapValues(\.line).merging(file.emptyKeys) { line, _ in line }
        return written.compactMap { key, line in
            let place = Fault.Place.file(file.name, line: line)
            if sections.contains(key) { return file.values[key].map { _ in section(key, at: place) } }
            guard set.contains(key) else { return unknown(key, at: place) }
            guard file.emptyKeys[key] != nil else { return nil }
            return Fault(
                place: place, problem: "\(key) has no value", remedy: "write a value, or leave the key out")
        }
    }

    /// The faults of unknown keys that a command sets.
    func faults(inCommandLine texts: [String: String]) -> [Fault] {
        texts.keys.sorted().filter { !set.contains($0) }.map { unknown($0, at: .named("command line")) }
    }

    /// The faults of `GATEPASS_*` variables that are no settings, in the order of their names.
    func faults(inEnvironment environment: [String: String]) -> [Fault] {
        let variables = all.map(SettingsLayer.variable(for:)) + secrets.map(SecretFiles.variable(for:))
        let names = environment.keys.filter { $0.hasPrefix("GATEPASS_") && !$0.hasPrefix(Self.testPrefix) }
        return Set(names).subtracting(variables).sorted().map { name in
            Fault(
                place: .named(name), problem: "unknown variable \(name)",
                remedy: remedy(NearestName.nearest(to: name, among: variables), else: "unset it"))
        }
    }

    /// True if `name` is a key, or begins with the name of a section, as a misspelt key does.
    func isOurs(_ name: String) -> Bool {
        set.contains(name) || name.firstIndex(of: ".").map { sections.contains(String(name[..<$0])) } ?? false
    }

    /// The faults of credentials that are named like keys but are none, in the order of their names.
    func faults(inCredentials credentials: [String: String]) -> [Fault] {
        credentials.keys.sorted().filter { isOurs($0) && !set.contains($0) }.map {
            unknown($0, at: .named("credentials directory"))
        }
    }

    private func section(_ key: String, at place: Fault.Place) -> Fault {
        let example = all.first { $0.hasPrefix(key + ".") } ?? key
        return Fault(
            place: place, problem: "\(key) is a section, not a value",
            remedy: "write its keys below it, such as \(example)")
    }

    private func unknown(_ key: String, at place: Fault.Place) -> Fault {
        let parent = key.lastIndex(of: ".").map { String(key[..<$0]) }
        if let parent, set.contains(parent) {
            return Fault(
                place: place, problem: "unknown key \(key): \(parent) is a value, not a section",
                remedy: "write \(parent) with one value")
        }
        let near = NearestName.nearest(to: key, among: all + sections)
        return Fault(place: place, problem: "unknown key \(key)", remedy: remedy(near, else: "remove it"))
    }

    private func remedy(_ nearest: String?, else otherwise: String) -> String {
        nearest.map { "write \($0) instead" } ?? "\(otherwise); config/gatepass.yaml lists every key"
    }
}
