import ArgumentParser
import EntitlementAPI
import Entitlements
import LedgerStore

/// `gatepass projection`: the tables that are derived from ledgers.
struct ProjectionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "projection", abstract: "Make the tables that are derived from ledgers.",
        subcommands: [ProjectionRebuildCommand.self])
}

/// `gatepass projection rebuild`: makes `subscriptions`, `standings` and `standing_answers` anew, beside running
/// servers.
struct ProjectionRebuildCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rebuild",
        abstract: "Make subscriptions and standings anew from the ledgers; servers go on working.",
        discussion: "For example: gatepass projection rebuild --user anna")

    @Option(help: "The user whose rows alone are made anew; everybody's without it.")
    var user: String?

    @OptionGroup var installation: InstallationOptions

    /// Throws if `--user` is no user id. Throws the exit status 1 if there is no such user or the database cannot be
    /// reached.
    func run() async throws {
        let user = try user.map { text in
            guard let user = UserID(text) else { throw ValidationError("\(text) is no user id") }
            return user
        }
        let startup = try installation.startupToAct()
        try await Startup.reporting {
            let people = try await startup.withPoolToAct { pool in
                let projection = Projection(
                    pool: pool, settings: startup.settings.entitlements, format: StatusBody.format)
                let catalogue = try await startup.openCatalogue(pool).snapshot
                let now = startup.clock.now()
                if let user {
                    guard try await projection.rebuild(user, given: catalogue, at: now) else {
                        throw UserMissing(user: user)
                    }
                    return 1
                }
                let bar = ProgressBar()
                defer { bar.clear() }
                return try await projection.rebuild(given: catalogue, at: now) { people, percent in
                    bar.show(percent, "\(percent)%, \(people) users made anew")
                }
            }
            print("the rows of \(people) \(people == 1 ? "user are" : "users are") made anew")
        }
    }
}
