import ArgumentParser
import Entitlements
import LedgerStore

/// `gatepass user export`: prints all stored data of a user as one JSON document.
struct UserExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Print all that is held of a user, as one JSON document.",
        discussion: "For example: gatepass user export anna")

    @OptionGroup var about: UserOptions

    /// Throws for a wrong user id, and the exit status 1 if there is no such user or the database cannot be reached.
    func run() async throws {
        let user = try about.id()
        let startup = try about.installation.startup()
        try await Startup.reporting {
            let document = try await startup.withPool { pool in
                let settings = try await LedgerSettings(startup.settings, from: pool, clock: startup.clock)
                return try await Export(pool: pool, labels: settings.labels).document(of: user)
            }
            guard let document else { throw UserMissing(user: user) }
            print(document)
        }
    }
}

/// The database has no user with this id.
struct UserMissing: Error, CustomStringConvertible {
    let user: UserID

    var description: String { "there is no user \(user.text)" }
}
