import AppStore
import ArgumentParser
import AsyncHTTPClient
import EntitlementAPI
import Entitlements
import Foundation
import LedgerStore

/// `gatepass reconcile apple`: asks Apple about everybody who has purchases of the App Store.
struct ReconcileAppleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apple", abstract: "Ask Apple for what no app sent and no notification brought.",
        discussion: """
            Needs apple.key_id. A run that is cut off goes on where it was when it is run again.

            For example: gatepass reconcile apple --dry-run
            """)

    @Option(help: "The user who alone is asked about; everybody without it.")
    var user: String?

    @Option(help: "Only users who got a purchase since then, and notifications since then.")
    var since: String?

    @OptionGroup var output: ActOutput

    @OptionGroup var installation: InstallationOptions

    /// Throws `ValidationError` for a user id or an instant of the wrong form.
    func validate() throws {
        _ = try (start(), asked())
    }

    /// Throws the exit status 1 if Apple or the database fails on the way.
    func run() async throws {
        let (start, asked) = (try start(), try asked())
        let startup = try installation.startupToAct()
        try await Startup.reporting {
            guard let credentials = startup.settings.apple.credentials else { throw Failure.noKey }
            let client = HTTPClient.outward()
            let run: Result<Reconciliation?, any Error>
            do {
                run = .success(try await reconcile(startup, credentials, client, since: start, user: asked))
            } catch {
                run = .failure(error)
            }
            try await client.shutdown()
            guard let run = try run.get() else { return }
            print(output.json ? String(decoding: run.json, as: UTF8.self) : run.text)
        }
    }

    /// The reason for the exit status 1.
    private enum Failure: Error, CustomStringConvertible {
        case noKey
        case nothingToAskAbout(UserID)

        var description: String {
            switch self {
            case .noKey: "apple.key_id is not set: write the In-App Purchase key of App Store Connect"
            case .nothingToAskAbout(let user): "\(user.text) has no purchase of the App Store"
            }
        }
    }

    private func reconcile(
        _ startup: Startup, _ credentials: Settings.Apple.Credentials, _ client: HTTPClient, since start: Instant?,
        user asked: UserID?
    ) async throws -> Reconciliation? {
        let roots = try startup.files.trustRoots(startup.settings)
        let statusCheck =
            startup.settings.apple.ocsp
            ? CertificateStatusCheck(transport: OCSPQuestions(client: client), uptime: Surroundings.uptime) : nil
        return try await startup.withStore { store in
            let people = try await store.reconciliations.people(since: start, user: asked)
            if let asked, people.isEmpty { throw Failure.nothingToAskAbout(asked) }
            StandardError.print("gatepass: " + Self.estimate(people))
            guard !output.dryRun else { return nil }
            let reconciliation = try await reconciliation(
                startup, credentials, client, AppVerifiers(roots: roots, statusCheck: statusCheck), store, since: start,
                user: asked, of: people)
            return try await reconciliation.run()
        }
    }

    private func reconciliation(
        _ startup: Startup, _ credentials: Settings.Apple.Credentials, _ client: HTTPClient, _ verifiers: AppVerifiers,
        _ store: Store, since start: Instant?, user asked: UserID?, of people: [ReconciledPeople]
    ) async throws -> AppleReconciliation {
        let (door, metrics, rules) = (StoreDoor(store), ServerMetrics(), startup.settings.claimRules)
        let verifier = { @Sendable in verifiers.verifier(for: store.catalogue.snapshot) }
        let server = try await AppleServer(
            startup.settings.apple, credentials, files: startup.files, client: client,
            simulated: startup.installation, store: door,
            pace: ApplePace(), metrics: metrics, logger: startup.logger)
        let cards = startup.settings.stripe
        let inbox = StoreInbox(
            store: door, under: rules,
            apple: AppleReader(verifier: verifier, under: rules, now: startup.clock.now),
            cards: CardReader(userKey: cards.userIDMetadataKey, graceDays: cards.graceDays), metrics: metrics.api,
            logger: startup.logger)
        let (bar, users) = (ProgressBar(), people.map(\.users).reduce(0, +))
        return AppleReconciliation(
            store: store,
            history: StoreHistory(
                store: door, asking: server, under: rules, verifier: verifier,
                cores: ProcessInfo.processInfo.activeProcessorCount, now: startup.clock.now, logger: startup.logger),
            notifications: NotificationHistory(
                store: door, asking: server, into: inbox, logger: startup.logger),
            apps: store.catalogue.snapshot.latest.catalogue.apps.map(\.id), since: start, user: asked,
            now: startup.clock.now
        ) { run in
            let percent = min(100, 100 * run.users / max(users, 1))
            bar.show(
                percent, "\(percent)%, \(run.users.counted("user")) asked about, \(run.missed.counted("thing")) missed")
        }
    }

    /// The work in words: how many users, questions and minutes.
    static func estimate(_ people: [ReconciledPeople]) -> String {
        guard !people.isEmpty else { return "nobody has a purchase of the App Store" }
        let question = AppStoreQuestion.history(of: "", after: nil)
        let seconds = people.reduce(0.0) { sum, people in
            sum + Double(people.walks) / ApplePace.rate(of: question, in: people.environment)
        }
        let span = Span(milliseconds: max(1_000, Int64(seconds * 1_000)))?.text ?? ""
        let parts = people.map { people in
            "\(people.users.counted("user")) in \(people.environment.rawValue) by "
                + "\(people.walks.counted("question")) or more"
        }
        return "\(parts.joined(separator: ", ")); that takes \(span) at least"
    }

    private func start() throws -> Instant? {
        guard let since else { return nil }
        guard let instant = RFC3339.instant(since) else {
            throw ValidationError("--since \(VisibleText.escaped(since)) is not RFC 3339 in UTC")
        }
        return instant
    }

    private func asked() throws -> UserID? {
        guard let user else { return nil }
        guard let id = UserID(user) else { throw ValidationError("\(VisibleText.escaped(user)) is no user id") }
        return id
    }
}

extension Reconciliation {
    /// The report in words.
    fileprivate var text: String {
        let kinds =
            "\(notifications.counted("notification")), \(purchases.counted("purchase")), "
            + "\(statements.counted("statement")) about purchases"
        var lines = [
            "\(users.counted("user")) \(users == 1 ? "was" : "were") asked about: "
                + "\(missed.counted("thing")) \(missed == 1 ? "was" : "were") missed (\(kinds))"
        ]
        if refused > 0 {
            lines.append("Apple did not show the history of \(refused.counted("user")): the log says why")
        }
        if !unlisted.isEmpty {
            let names = unlisted.joined(separator: " ")
            lines.append(
                VisibleText.escaped(
                    "\(unlisted.count.counted("purchase")) \(unlisted.count == 1 ? "is" : "are") recorded that Apple "
                        + "does not list: \(names)"))
        }
        return lines.joined(separator: "\n")
    }
}
