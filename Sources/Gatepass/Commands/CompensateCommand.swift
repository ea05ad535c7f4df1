import ArgumentParser
import EntitlementAPI
import Entitlements
import LedgerStore

/// `gatepass compensate`: gives time to everybody who had coverage during an outage, as
/// `POST /api/admin/compensations` does.
struct CompensateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compensate", abstract: "Give time to everybody who had coverage during an outage.",
        discussion: """
            For example: gatepass compensate --from 2026-01-15T00:00:00Z --to 2026-01-15T06:00:00Z \
            --add-hours 48 --reason outage --reference o-7 --dry-run
            """)

    @Option(help: "When the outage began, such as 2026-01-15T00:00:00Z.")
    var from: String

    @Option(help: "When it ended.")
    var to: String

    @Option(name: .customLong("add-hours"), help: "How many hours each is given.")
    var hours: Int

    @Option(help: "The tier of the time; without it the highest that each had then.")
    var tier: String?

    @Flag(help: "Count coverage from plans and windows too, not from passes alone.")
    var anySource = false

    @Option(help: "Why, for the audit trail and the timeline.")
    var reason: String

    @Option(help: "The outage's name; nobody is given twice under one.")
    var reference: String

    @OptionGroup var output: ActOutput

    @OptionGroup var installation: InstallationOptions

    /// Throws `ValidationError` for a reason of wrong length, an instant that cannot be read, or hours out of range.
    func validate() throws {
        try ReasonOptions.require(reason)
        try ReasonOptions.requireReference(reference)
        _ = try outage
    }

    private var outage: OperatorAct.Outage {
        get throws {
            let instants = try [from, to].map { text in
                guard let instant = RFC3339.instant(text) else {
                    throw ValidationError("\(text) is no instant such as 2026-01-15T00:00:00Z")
                }
                return instant
            }
            guard (1...OperatorAct.Outage.maximumHours).contains(hours) else {
                throw ValidationError("--add-hours is from 1 to \(OperatorAct.Outage.maximumHours)")
            }
            return OperatorAct.Outage(
                from: instants[0], to: instants[1], hours: hours, tier: tier.map { TierID($0) },
                countsAnySource: anySource)
        }
    }

    /// The counts in words, such as `1 user is given 48 hours, 0 were before, 2 had no coverage then`.
    static func words(_ counts: Compensation.Counts, hours: Int) -> String {
        "\(counts.given.counted("user")) \(counts.given == 1 ? "is" : "are") given \(hours.counted("hour")), "
            + "\(counts.alreadyGiven) \(counts.alreadyGiven == 1 ? "was" : "were") before, "
            + "\(counts.notAffected) had no coverage then"
    }

    /// Throws the exit status 1 if the compensation is refused or the database cannot be reached. What was given until
    /// then stays, and a repeat goes on.
    func run() async throws {
        let startup = try installation.startupToAct()
        let compensation = Compensation(
            for: try outage, reason: reason, reference: reference, by: .commandLine, isDry: output.dryRun)
        try await Startup.reporting {
            let counts = try await startup.withStore { store in
                var (place, counts) = (CoveragePlace?.none, Compensation.Counts())
                repeat {
                    let step = try await compensation.step(
                        from: place, limit: Compensation.maximumUsers, in: store, at: startup.clock.now()
                    ).mapError { RefusedAct(Problem($0)) }.get()
                    counts.add(step)
                    for outcome in step.given where !output.json { print(outcome.user.text) }
                    place = step.next
                } while place != nil
                return counts
            }
            let words = Self.words(counts, hours: hours)
            print(
                output.json
                    ? String(decoding: JSONWriter.object { $0.members(of: compensation, counts) }, as: UTF8.self)
                    : output.dryRun ? "Nothing was done. It would be: " + words : words)
        }
    }
}
