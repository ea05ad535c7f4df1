/// Finds the files that a command works with, from any directory.
///
/// A path that the command line names is taken from the working directory; any other is looked for there, then where
/// the named configuration file lies, and then beside the binary. The file system is handed in.
struct FileLookup: Sendable {
    let workingDirectory: String
    let binaryDirectory: String
    /// The parent of the configuration file's directory, for `config/…` is written as seen from there, and the
    /// directory.
    private(set) var configDirectories: [String] = []
    let exists: @Sendable (_ path: String) -> Bool
    /// Throws when the file cannot be read.
    let read: @Sendable (_ path: String) throws -> String

    static let defaultConfig = "config/gatepass.yaml"
    static let defaultCatalogue = "config/catalog.yaml"
    static let defaultMigrations = "migrations"

    /// A file or directory that was found.
    struct Found: Hashable, Sendable {
        /// The file's name in messages: the path as written where that leads to it from the working directory.
        let name: String
        /// Absolute.
        let path: String
    }

    /// The file at `explicit`, whether or not it is there; else the first place that has `defaultPath`, or nil.
    func find(_ explicit: String?, default defaultPath: String) -> Found? {
        if let explicit { return Found(name: explicit, path: path(of: explicit, in: workingDirectory)) }
        return find(defaultPath)
    }

    /// A path that a setting names, such as a certificate: in the first place that has it.
    func find(_ relativePath: String) -> Found? {
        let here = path(of: relativePath, in: workingDirectory)
        if exists(here) { return Found(name: relativePath, path: here) }
        let others = (configDirectories + [binaryDirectory]).map { path(of: relativePath, in: $0) }
        return others.first(where: exists).map { Found(name: $0, path: $0) }
    }

    /// A lookup that looks also around the configuration file that the command line names.
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
