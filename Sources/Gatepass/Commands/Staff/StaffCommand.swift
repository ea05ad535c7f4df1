import ArgumentParser
import Dashboard
import EntitlementAPI
import LedgerStore

/// `gatepass staff`: the people who use the dashboard.
struct StaffCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "staff", abstract: "Make, list, reset and disable the people who use the dashboard.",
        subcommands: [
            StaffCreateCommand.self, StaffListCommand.self, StaffResetCommand.self, StaffDisableCommand.self,
        ])
}

/// The answer of a command about a person: a sentence, and the link that sets a password.
private struct StaffAnswer {
    let member: StaffMember
    let words: String
    var link: String?

    func text(json: Bool) -> String {
        guard json else {
            return ([VisibleText.escaped(words)] + [link].compactMap(\.self)).joined(separator: "\n")
        }
        return String(decoding: member.json(link: link), as: UTF8.self)
    }
}

extension Startup {
    /// The one-time link with this token, at the dashboard's address.
    fileprivate func passwordLink(_ token: [UInt8]) -> String {
        let port = settings.dashboard.onMainPort ? settings.http.port : settings.dashboard.port
        return Dashboard.passwordLink(token, at: settings.dashboard.origins(port: Int(port))[0])
    }
}

/// `gatepass staff create`: adds a person, and prints the link with which they set their password.
struct StaffCreateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Add a person and print the one-time link that sets the password.",
        discussion: "For example: gatepass staff create mara --role support")

    @Argument(help: "The name with which the person signs in.")
    var name: String

    @Option(help: "What the person may do: viewer, support or owner.")
    var role = "viewer"

    @OptionGroup var why: ReasonOptions

    @OptionGroup var output: ActOutput

    @OptionGroup var installation: InstallationOptions

    /// Throws if the name or the role is wrong, and the exit status 1 if the name is taken or the database is away.
    func run() async throws {
        guard let role = StaffRole(rawValue: role) else {
            throw ValidationError("'\(role)' is no role: viewer, support or owner")
        }
        guard let request = StaffRequest(name: name, role: role) else {
            throw ValidationError("a name has 1 to \(StaffRequest.nameLimit) characters and no control character")
        }
        let startup = try installation.startupToAct()
        guard !output.dryRun else {
            return print(VisibleText.escaped("\(name) would be added as \(role.rawValue)"))
        }
        try await Startup.reporting {
            let token = Surroundings.browserToken()
            let member = try await startup.withPoolToAct { pool in
                try await Staff(pool: pool).create(request, link: token, by: .commandLine, reason: why.reason)
            }
            guard let member else {
                StandardError.print(VisibleText.escaped("gatepass: \(name) is there already"))
                throw ExitCode.failure
            }
            let words = "\(member.name) is added as \(member.role.rawValue); the link works once, for a day:"
            let answer = StaffAnswer(member: member, words: words, link: startup.passwordLink(token))
            print(answer.text(json: output.json))
        }
    }
}

/// `gatepass staff list`: prints all people, one a line.
struct StaffListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the people, one a line.",
        discussion: "For example: gatepass staff list")

    @Flag(help: "Print JSON, a person a line.")
    var json = false

    @OptionGroup var installation: InstallationOptions

    /// Throws the exit status 1 if the database cannot be reached.
    func run() async throws {
        let startup = try installation.startup()
        try await Startup.reporting {
            let members = try await startup.withPool { try await Staff(pool: $0).list() }
            for member in members {
                let state = member.disabledAt.map { "disabled \(RFC3339.text(of: $0))" }
                let password = member.hasPassword ? "has a password" : "has no password yet"
                let words = ["\(member.id)", member.name, member.role.rawValue, state ?? password]
                    .map(VisibleText.escaped).joined(separator: "\t")
                print(json ? StaffAnswer(member: member, words: "").text(json: true) : words)
            }
        }
    }
}

/// `gatepass staff reset`: takes a person's password away, and prints the link with which they set a new one.
struct StaffResetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset", abstract: "Take a password away, end the sessions, and print a new one-time link.",
        discussion: "For example: gatepass staff reset mara")

    @Argument(help: "The person's name.")
    var name: String

    @OptionGroup var why: ReasonOptions

    @OptionGroup var output: ActOutput

    @OptionGroup var installation: InstallationOptions

    /// Throws the exit status 1 if there is nobody of this name, or the database cannot be reached.
    func run() async throws {
        let startup = try installation.startupToAct()
        try await Startup.reporting {
            let token = Surroundings.browserToken()
            let member = try await startup.withPoolToAct { pool in
                let staff = Staff(pool: pool)
                guard !output.dryRun else { return try await staff.member(named: name) }
                return try await staff.reset(name, link: token, by: .commandLine, reason: why.reason)
            }
            let known = try StaffDisableCommand.require(member, name)
            guard !output.dryRun else {
                return print(VisibleText.escaped("\(known.name) would need a new password, and be signed out"))
            }
            let words = "\(known.name) is signed out and has no password; the link works once, for a day:"
            print(
                StaffAnswer(member: known, words: words, link: startup.passwordLink(token)).text(json: output.json))
        }
    }
}

/// `gatepass staff disable`: forbids a person to sign in, and ends their sessions at once.
struct StaffDisableCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable", abstract: "Forbid a person to sign in, and end the sessions at once.",
        discussion: "For example: gatepass staff disable mara --reason left")

    @Argument(help: "The person's name.")
    var name: String

    @OptionGroup var why: ReasonOptions

    @OptionGroup var output: ActOutput

    @OptionGroup var installation: InstallationOptions

    /// Throws the exit status 1 if there is nobody of this name, or the database cannot be reached.
    func run() async throws {
        let startup = try installation.startupToAct()
        try await Startup.reporting {
            let member = try await startup.withPoolToAct { pool in
                let staff = Staff(pool: pool)
                guard !output.dryRun else { return try await staff.member(named: name) }
                return try await staff.disable(name, by: .commandLine, reason: why.reason)
            }
            let known = try Self.require(member, name)
            let words = output.dryRun ? "would be disabled and signed out" : "is disabled and signed out"
            print(StaffAnswer(member: known, words: "\(known.name) \(words)").text(json: output.json))
        }
    }

    /// Unwraps a person. Throws the exit status 1 if there is nobody of this name.
    static func require(_ member: StaffMember?, _ name: String) throws -> StaffMember {
        guard let member else {
            StandardError.print(VisibleText.escaped("gatepass: there is nobody named \(name)"))
            throw ExitCode.failure
        }
        return member
    }
}
