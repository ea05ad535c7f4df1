import AppStore
import ArgumentParser
import Entitlements
import StoreSimulator

/// `gatepass simulate story`: a year of a plan in seconds, as a table of dates, events and answers.
struct SimulateStoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "story",
        abstract: "Play a year of a plan on the server's clock, and print what the server says at each turn.")

    /// The stories that are told.
    enum Name: String, CaseIterable, ExpressibleByArgument {
        case annual = "annual_3_year"
        case monthly = "monthly_1_year"

        /// The plan that it is about, as the catalogue names it.
        var planID: String {
            switch self {
            case .annual: "annual_3"
            case .monthly: "monthly_1"
            }
        }
    }

    @Argument(help: "\(Name.allCases.map(\.rawValue).joined(separator: " or ")).")
    var name: Name

    @OptionGroup var options: CommandOptions

    @OptionGroup var installation: InstallationOptions

    @Option(help: "The user whom it happens to (default: one who was never seen).")
    var user: String?

    @Flag(help: "The app never posts anything: the server learns all of it by notifications.")
    var byNotification = false

    @Flag(help: "Print one JSON document.")
    var json = false

    /// Throws when the user is none, and the exit status 1 when the catalogue has no such plan or no server runs.
    func run() async throws {
        let text = user ?? "story-\(Surroundings.id().prefix(8))"
        guard let user = UserID(text) else { throw ValidationError("--user \(text) is no user id") }
        let catalogue = try Startup(options).catalogueFile().catalogue
        let installation = Installation(path: installation.dataDir)
        try await Startup.reporting {
            try installation.requireMade()
            let story = try PlanStory(
                of: name.planID, for: user, byNotification: byNotification, in: catalogue, on: installation)
            let scenes = try await story.play()
            print(try json ? JSONText.pretty(scenes.map(\.document)) : StoryScene.table(of: scenes))
        }
    }
}
