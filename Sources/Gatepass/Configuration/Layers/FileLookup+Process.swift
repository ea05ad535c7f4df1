import Foundation

extension FileLookup {
    /// A lookup in the file system of this process.
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
    /// Collects the sources of this process: its environment, its credentials directory and the file `config`, or the
    /// default one. Throws a fault if the file cannot be read.
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

    /// Reads the files of the credentials directory that are named like settings. Throws a fault if one, or the
    /// directory, cannot be read.
    private static func credentials(in directory: String?, lookup: FileLookup) throws(Fault) -> [String: String] {
        guard let directory else { return [:] }
        var credentials: [String: String] = [:]
        let known = KnownKeys()
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: directory)
        } catch {
            throw Fault(
                place: .named("CREDENTIALS_DIRECTORY"), problem: "the directory \(directory) cannot be read",
                remedy: "let the server's user read it, or unset the variable")
        }
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
    /// Reads the file `explicit`, or the default file; nil if there is no default file. Throws a fault if it cannot be
    /// read.
    static func find(_ explicit: String?, lookup: FileLookup) throws(Fault) -> SettingsInputs.File? {
        guard let found = lookup.find(explicit, default: FileLookup.defaultConfig) else { return nil }
        do {
            return SettingsInputs.File(name: found.name, text: try lookup.read(found.path))
        } catch {
            throw Fault(
                place: .named(found.name), problem: "the configuration file cannot be read",
                remedy: lookup.exists(found.path)
                    ? "let the server's user read it, as UTF-8 text" : "name a file that is there with --config")
        }
    }
}
