import Foundation

/// The server that a command is for.
///
/// A data directory that the command line names means the development server that runs there, whatever variables and
/// files say. Without one, the settings decide if they name a database or an environment. Else it is the development
/// server of the folder while it runs, and the server of the settings' defaults when none does.
struct Target {
    /// The installation whose development server is meant; nil for the server of the settings.
    let installation: Installation?
    /// The settings of that development server, which replace those of variables and files. They are read once, so that
    /// a server that ends meanwhile leaves a command without a database, and never with another server's.
    let overrides: [String: String]
    /// The installation of the folder, if its development server runs although the settings name another server.
    let bystander: Installation?

    /// Throws `Installation.Failure` if no development server runs in the data directory that is named.
    init(dataDir: String?, settings: [EffectiveSetting], folder: String = Installation.defaultDirectory) throws {
        let asked = Installation(path: dataDir ?? folder)
        let running = asked.runningSettings
        guard dataDir == nil || running != nil else {
            throw Installation.Failure.notRunning(directory: asked.directory.path)
        }
        let isNamed = dataDir == nil && settings.contains(where: \.namesServer)
        installation = running == nil || isNamed ? nil : asked
        overrides = isNamed ? [:] : running ?? [:]
        bystander = running != nil && isNamed ? asked : nil
    }

    /// The clock of the server.
    var clock: WallClock { installation?.clock.wallClock ?? .real }

    /// The lines that name the server, given the settings with which the command works.
    func lines(_ settings: Settings) -> [String] {
        if let installation { return [Self.line(of: installation)] }
        let beside = bystander.map {
            "a development server runs in \($0.directory.path) too: --data-dir means that one"
        }
        return [Self.line(settings.environment, settings.database.place), beside].compactMap(\.self)
    }

    /// The line that names the development server of an installation.
    static func line(of installation: Installation) -> String { line(.development, installation.directory.path) }

    private static func line(_ environment: Settings.Environment, _ place: String) -> String {
        VisibleText.escaped("on \(environment.rawValue), \(place)")
    }
}

extension EffectiveSetting {
    /// True if the setting says which server is meant: a key of the database or the environment that a variable or a
    /// credential sets, or that a file sets to another value than its default.
    fileprivate var namesServer: Bool {
        guard key == "environment" || key.hasPrefix("database.") else { return false }
        switch origin {
        case .commandLine, .environment, .credential: return true
        case .file: return shown != Self.defaults[key]
        case .builtIn: return false
        }
    }
}

extension Settings.Database {
    /// The schema and where it is, such as `gatepass at db1:3306`.
    fileprivate var place: String {
        let servers = hosts.map { ($0.host.contains(":") ? "[\($0.host)]" : $0.host) + ":\($0.port)" }
        return "\(name) at \(socket ?? servers.joined(separator: ", "))"
    }
}
