import AppStore
import EntitlementAPI
import Entitlements
import LedgerStore

/// The check of the In-App Purchase key.
extension Doctor {
    /// The largest number of apps that Apple is asked about, so that the check takes seconds.
    private static let askedApps = 5
    /// The question that shows whether Apple takes a key: about a transaction that nobody has.
    private static let question = AppStoreQuestion.transaction("0")

    /// How Apple takes the key for one app.
    enum KeyAnswer: Hashable, Sendable {
        case accepted(StoreEnvironment)
        /// Neither environment accepts it.
        case refused
    }

    /// The key of the App Store Server API, as Apple itself takes it. Throws if the key's file cannot be used, and like
    /// ``catalogue()``.
    func appleKey() async throws -> Finding {
        guard let credentials = startup.settings.apple.credentials else {
            return .ok("not configured: Apple is asked nothing")
        }
        guard let versions = try await catalogueVersions() else {
            return .notDone("there is no catalogue, so no app to ask about")
        }
        for environment in StoreEnvironment.allCases {
            guard let end = try await ApplePauses(pool: pool).end(in: environment), end > Surroundings.now()
            else { continue }
            return Self.paused(until: end)
        }
        // The door stays closed, so that nothing is written, not even a pause.
        let (door, pace) = (StoreDoor(provisional: versions), ApplePace())
        let server = try await AppleServer(
            startup.settings.apple, credentials, files: startup.files, client: client, simulated: nil, store: door,
            pace: pace, metrics: ServerMetrics(), logger: startup.logger)
        var answers: [(app: AppID, answer: KeyAnswer)] = []
        for app in versions.latest.catalogue.apps.prefix(Self.askedApps).map(\.id) {
            do throws(AppStoreServerFailure) {
                let answer = try await Self.answer(of: server, about: app)
                answers.append((app, answer))
            } catch {
                if case .paused(let end) = error { return Self.paused(until: end) }
                let reason = if case .unreachable(let words) = error { ": \(words)" } else { "" }
                return .wrong(
                    "Apple cannot be asked\(reason)",
                    advice: "see that this machine reaches api.storekit.apple.com, and apple.api_base_url if it is set")
            }
        }
        return Self.judge(answers, of: credentials.keyID, clockAhead: await pace.lead)
    }

    /// Judges the answers about apps, and this machine's clock, whose lead over Apple's is in milliseconds.
    static func judge(
        _ answers: [(app: AppID, answer: KeyAnswer)], of key: String, clockAhead lead: Int64? = nil
    ) -> Finding {
        guard !answers.isEmpty else { return .ok("a key is set, and the catalogue has no app to ask about") }
        let clock = lead.flatMap { abs($0) > largestSkew ? AppleServer.difference($0) : nil }
        let refused = answers.filter { $0.answer == .refused }.map(\.app.text)
        if let fault = lead.flatMap({ AppleServer.fault(ofClock: $0) }), !refused.isEmpty {
            return .wrong(fault, advice: clockAdvice)
        }
        guard refused.isEmpty else {
            return .wrong(
                "Apple does not accept the key \(key) for \(refused.joined(separator: ", "))",
                advice:
                    "see apple.issuer_id, apple.key_id and the .p8 file: the key is one for In-App Purchase, of the "
                    + "team that sells the app, and not revoked")
        }
        let early = answers.filter { $0.answer == .accepted(.sandbox) }.map(\.app.text)
        let words = early.isEmpty ? "" : ", in the Sandbox alone for \(early.joined(separator: ", "))"
        let text = "Apple accepts the key \(key) for \(answers.count.counted("app"))\(words)"
        guard let clock else { return .ok(lead == nil ? text : text + "; the clocks agree") }
        return .warning("\(text), and this machine's clock is \(clock)", advice: clockAdvice)
    }

    private static let clockAdvice =
        "keep this machine on time by NTP: Apple refuses tokens that are dated ahead or over"

    private static func paused(until end: Instant) -> Finding {
        .warning(
            "Apple wants no questions until \(RFC3339.text(of: end))",
            advice: "look again then; servers wait, and ask later by themselves")
    }

    /// Production is asked first. It refuses the key also for an app that was never approved (`apple.md` §9.3).
    private static func answer(
        of server: AppleServer, about app: AppID
    ) async throws(AppStoreServerFailure) -> KeyAnswer {
        for environment in [StoreEnvironment.production, .sandbox] {
            do throws(AppStoreServerFailure) {
                _ = try await server.ask(question, about: app, in: environment)
                return .accepted(environment)
            } catch {
                switch error {
                case .refused, .unreadable: return .accepted(environment)
                case .keyNotAccepted: continue
                case .unreachable, .paused: throw error
                }
            }
        }
        return .refused
    }
}
