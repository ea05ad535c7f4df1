import Foundation

extension FileLookup {
    /// The file system as this process sees it.
    static func ofProcess() -> FileLookup {
        let binary = Bundle.main.executableURL?.resolvingSymlinksInPath().deletingLastPathComponent().path
        let workingDirectory = FileManager.default.currentDirectoryPath
        return FileLookup(
            workingDirectory: workingDirectory, binaryDirectory: binary ?? workingDirectory,
            exists: { FileManager.default.fileExists(atPath: $0) },
            read: { try String(contentsOfFile: $0, encoding: .utf8) })
    }
}

extension SettingsInputs {
    /// The inputs of this process: its environment, its credentials directory and the configuration file that `config`
    /// names, or the default one. Throws a fault when that file cannot be read.
    static func ofProcess(
        config: String?, commandLine: [String: String] = [:], lookup: FileLookup = .ofProcess()
    ) throws(Fault) -> SettingsInputs {
        let environment = ProcessInfo.processInfo.environment
        return SettingsInputs(
            commandLine: commandLine, environment: environment,
            credentials: try credentials(in: environment["CREDENTIALS_DIRECTORY"], lookup: lookup),
            file: try File.find(config, lookup: lookup),
            readFile: lookup.read)
    }

    /// The files of the credentials directory that are named like settings. Throws a fault for one that cannot be read.
    private static func credentials(in directory: String?, lookup: FileLookup) throws(Fault) -> [String: String] {
        guard let directory else { return [:] }
        var credentials: [String: String] = [:]
        let known = KnownKeys()
        // A directory that is not there has no credentials.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        for key in names where known.isOurs(key) {
            let path = directory + "/" + key
            do {
                credentials[key] = try lookup.read(path)
            } catch {
                throw Fault(
                    place: .named(path), problem: "the credential cannot be read",
                    remedy: "let the server's user read it, as UTF-8 text")
            }
        }
        return credentials
    }
}

extension SettingsInputs.File {
    /// The file at `explicit`, else the default file, else nil.
    static func find(_ explicit: String?, lookup: FileLookup) throws(Fault) -> SettingsInputs.File? {
        guard let found = lookup.find(explicit, default: FileLookup.defaultConfig) else { return nil }
        do {
            return SettingsInputs.File(name: found.name, text: try lookup.read(found.path))
        } catch {
            throw Fault(
                place: .named(found.name), problem: "the configuration file cannot be read",
                remedy: "name a file that is there with --config")
        }
    }
}
