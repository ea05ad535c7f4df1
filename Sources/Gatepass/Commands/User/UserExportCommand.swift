import ArgumentParser
import Entitlements
import LedgerStore

/// `gatepass user export`: all that is held of the user, as one JSON document.
struct UserExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Print all that is held of a user, as one JSON document.")

    @OptionGroup var about: UserOptions

    /// Throws what is wrong with the user id, and the exit status 1 when there is no such user or the database is away.
    func run() async throws {
        let user = try about.id()
        let startup = try about.installation.startupForKeys()
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

/// Nobody of this id is known.
struct UserMissing: Error, CustomStringConvertible {
    let user: UserID

    var description: String { "there is no user \(user.text)" }
}
