import ArgumentParser
import EntitlementAPI
import Entitlements
import LedgerStore

/// `gatepass user`: shows one user, and acts on what they have.
struct UserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user", abstract: "Show a user, and act on what they have.",
        subcommands: [
            UserStatusCommand.self, UserTimelineCommand.self, UserDevicesCommand.self, UserCreditsCommand.self,
            UserTesterCommand.self, UserTransferCommand.self, UserMergeCommand.self, UserRevokeCommand.self,
            UserBindCommand.self, UserMakeGoodCommand.self, UserSignOutCommand.self, UserExportCommand.self,
            UserEraseCommand.self,
        ])
}

/// The user whom a command is about, and the installation whose database has them.
struct UserOptions: ParsableArguments {
    @Argument(help: "The user's id: 1 to 128 of letters, digits and ._:@|+=-; quote it in a shell.")
    var user: String

    @OptionGroup var installation: InstallationOptions

    /// The user's id. Throws `ValidationError` if the text is no user id.
    func id() throws -> UserID {
        guard let id = UserID(user) else { throw ValidationError("\(user) is no user id") }
        return id
    }
}

/// `gatepass user status`: prints the user's present status: the access, and each purchase behind it. As JSON it also
/// has the explanation.
struct UserStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Print what a user has access to, from what, until when, and why.",
        discussion: "For example: gatepass user status anna")

    @OptionGroup var about: UserOptions

    @Flag(help: "Print JSON, as the API answers with explain=1.")
    var json = false

    /// Throws for a wrong user id, and the exit status 1 if there is no such user or the database cannot be reached.
    func run() async throws {
        let (user, startup) = (try about.id(), try about.installation.startup())
        try await Startup.reporting {
            let recorded = try await startup.ledger(of: user)
            let timeline = Timeline(
                folding: recorded.ledger, given: recorded.catalogue, settings: startup.settings.entitlements)
            let now = startup.clock.now()
            guard json else {
                return StatusText(timeline.status(at: now)).lines.forEach { print(VisibleText.escaped($0)) }
            }
            let parts = StatusBody.Parts(
                explaining: recorded.ledger, at: now, under: timeline.settings, given: recorded.catalogue,
                calling: recorded.deviceNames, refundQuestions: recorded.refundQuestions)
            let body = StatusBody(timeline.status(at: now), parts)
            print(String(decoding: body.bytes, as: UTF8.self))
        }
    }
}

/// `gatepass user timeline`: prints all facts about the user in the order of recording, one a line. A line has these
/// parts, with tabs between them: when the fact holds, when it was recorded, what happened, and, if known, who did it,
/// why, and its reference. Between them stand the App Store's questions about refunds, where they were asked.
struct UserTimelineCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "timeline", abstract: "Print every fact about a user in plain words, one a line, oldest first.",
        discussion: "For example: gatepass user timeline anna")

    @OptionGroup var about: UserOptions

    /// Throws for a wrong user id, and the exit status 1 if there is no such user or the database cannot be reached.
    func run() async throws {
        let (user, startup) = (try about.id(), try about.installation.startup())
        try await Startup.reporting {
            let recorded = try await startup.ledger(of: user)
            let asked = Dictionary(grouping: recorded.refundQuestions.reversed()) { $0.place(in: recorded.ledger) }
            for question in asked[0] ?? [] { print(Self.line(question)) }
            for (number, entry) in recorded.ledger.entries.enumerated() {
                print(Self.line(entry, in: recorded))
                for question in asked[number + 1] ?? [] { print(Self.line(question)) }
            }
        }
    }

    private static func line(_ asked: ConsumptionRequest) -> String {
        let times = [asked.question.askedAt, asked.changedAt].map { RFC3339.text(of: $0) }
        return (times + [asked.sentence]).map(VisibleText.escaped).joined(separator: "\t")
    }

    private static func line(_ entry: LedgerEntry, in recorded: RecordedUser) -> String {
        let note = entry.note.flatMap { recorded.notes[$0] }
        let times = [entry.effectiveAt, entry.recordedAt].map { RFC3339.text(of: $0) }
        let words = [
            entry.fact.sentence(writing: RFC3339.text(of:), calling: recorded.deviceNames.name), note?.actor,
            note?.reason, note?.reference,
        ]
        return (times + words.compactMap(\.self).map(VisibleText.escaped)).joined(separator: "\t")
    }
}

extension RecordedUser {
    /// The names of the user's devices.
    fileprivate var deviceNames: DeviceNames { DeviceNames(of: ledger, notes) }
}
