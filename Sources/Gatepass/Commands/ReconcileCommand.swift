import ArgumentParser
import EntitlementAPI
import Entitlements
import LedgerStore

/// `gatepass reconcile`: fetches from a store what its webhooks did not bring.
struct ReconcileCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reconcile", abstract: "Ask a store for what its webhooks did not bring.",
        subcommands: [ReconcileStripeCommand.self, ReconcileAppleCommand.self])
}

/// `gatepass reconcile stripe`: processes the events of Stripe's list that are not in the inbox, as the webhook would.
struct ReconcileStripeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stripe", abstract: "Take the events of the last 30 days that Stripe's webhook did not bring.",
        discussion: """
            Needs stripe.api_key. What is known stays as it is, so it can be run at any time, and again.

            For example: gatepass reconcile stripe --since 2026-01-15T00:00:00Z
            """)

    @Option(help: "Go on behind this event, which a run that was cut off names.")
    var after: String?

    @Option(help: "Only events since then, such as 2026-01-15T00:00:00Z.")
    var since: String?

    @OptionGroup var output: ActOutput

    @OptionGroup var installation: InstallationOptions

    /// Throws `ValidationError` for an event id or an instant of the wrong form.
    func validate() throws {
        if let after, after.isEmpty || !after.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) {
            throw ValidationError("--after \(VisibleText.escaped(after)) is no event")
        }
        _ = try start()
    }

    /// Throws the exit status 1 if Stripe's list or the database fails on the way. The report says how far the run
    /// came.
    func run() async throws {
        let start = try start()
        let startup = try installation.startupToAct()
        try await Startup.reporting {
            guard let key = startup.settings.stripe.apiKey, !key.isBlank else { throw Failure.noKey }
            let outcome = try await StripeEventList.reading(
                with: key, at: startup.settings.stripe.apiBaseURL, since: start
            ) { list in try await reconcile(list, startup) }
            print(output.json ? try JSONText.pretty(outcome.report.document) : outcome.report.text)
            if let failure = outcome.failure { throw Failure.cutOff(failure, goOn: goOn(outcome.report)) }
        }
    }

    /// The report of a reconciliation, and the error that ended it early, if any.
    private struct Outcome: Sendable {
        let report: ReconciliationReport
        let failure: String?
    }

    /// The reason for the exit status 1.
    private enum Failure: Error, CustomStringConvertible {
        case noKey
        case cutOff(String, goOn: String)

        var description: String {
            switch self {
            case .noKey: "stripe.api_key is not set: write a key that may read events"
            case .cutOff(let failure, let goOn): "\(failure)\ngatepass: \(goOn)"
            }
        }
    }

    private func reconcile(_ list: StripeEventList, _ startup: Startup) async throws -> Outcome {
        try await startup.withStore { store in
            let stripe = startup.settings.stripe
            let reconciliation = StripeReconciliation(
                list: list, store: store, rules: startup.settings.claimRules,
                cards: CardReader(userKey: stripe.userIDMetadataKey, graceDays: stripe.graceDays),
                isDry: output.dryRun,
                note: { StandardError.print("gatepass: \($0.listed) events, \($0.new) new; \(goOn($0))") })
            var report = ReconciliationReport(after: after, isDry: output.dryRun)
            do {
                try await reconciliation.run(&report)
                return Outcome(report: report, failure: nil)
            } catch {
                return Outcome(report: report, failure: Self.words(error))
            }
        }
    }

    private func goOn(_ report: ReconciliationReport) -> String {
        let options = (since.map { " --since \($0)" } ?? "") + (output.dryRun ? " --dry-run" : "")
        guard let end = report.end else { return "nothing was taken to the end; run it again" }
        return "go on with: gatepass reconcile stripe --after \(end)\(options)"
    }

    private static func words(_ error: any Error) -> String {
        switch error {
        case is ServiceFailure, StoreInbox.Failure.service: "the database did not answer"
        default: "\(error)"
        }
    }

    private func start() throws -> Instant? {
        guard let since else { return nil }
        guard let instant = RFC3339.instant(since) else {
            throw ValidationError("--since \(VisibleText.escaped(since)) is not RFC 3339 in UTC")
        }
        return instant
    }
}
