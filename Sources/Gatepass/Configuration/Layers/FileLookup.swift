/// Finds the files of a command, from whatever directory it is started.
///
/// A path on the command line is relative to the working directory. Any other file is searched in three places: the
/// working directory, around the configuration file that the command line names, and the directory of the binary.
/// Access to the file system is passed in.
struct FileLookup: Sendable {
    let workingDirectory: String
    let binaryDirectory: String
    /// The directories around the configuration file: first the parent of its directory, because the default files are
    /// named `config/…`, then its directory.
    private(set) var configDirectories: [String] = []
    let exists: @Sendable (_ path: String) -> Bool
    /// Reads a file. Throws if it cannot be read.
    let read: @Sendable (_ path: String) throws -> String

    static let defaultConfig = "config/gatepass.yaml"
    static let defaultCatalogue = "config/catalog.yaml"
    static let defaultMigrations = "migrations"

    /// A file or directory that was found.
    struct Found: Hashable, Sendable {
        /// The name for messages: the path as written, if that is relative to the working directory.
        let name: String
        /// The absolute path.
        let path: String
    }

    /// The file `explicit`, even if it does not exist; else the default file in the first place that has it; else nil.
    func find(_ explicit: String?, default defaultPath: String) -> Found? {
        if let explicit { return Found(name: explicit, path: path(of: explicit, in: workingDirectory)) }
        return find(defaultPath)
    }

    /// Searches a file that a setting names, such as a certificate. Returns it from the first place that has it.
    func find(_ relativePath: String) -> Found? {
        let here = path(of: relativePath, in: workingDirectory)
        if exists(here) { return Found(name: relativePath, path: here) }
        let others = (configDirectories + [binaryDirectory]).map { path(of: relativePath, in: $0) }
        return others.first(where: exists).map { Found(name: $0, path: $0) }
    }

    /// A lookup that also searches around the configuration file that the command line names.
    func around(config: String?) -> FileLookup {
        guard let config else { return self }
        let file = path(of: config, in: workingDirectory)
        let directory = Self.parent(of: file)
        var lookup = self
        lookup.configDirectories = [Self.parent(of: directory), directory]
        return lookup
    }

    private static func parent(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
    }

    private func path(of path: String, in directory: String) -> String {
        path.hasPrefix("/") ? path : directory + "/" + path
    }
}
