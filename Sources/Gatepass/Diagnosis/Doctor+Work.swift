import Entitlements
import LedgerStore

/// The checks of deliveries and jobs that wait, and of the people who may use Sandbox purchases.
extension Doctor {
    /// The time for which a job may be due before it is late, as in `docs/alerts.yaml`.
    private static let longestDue: Int64 = 300_000

    /// The deliveries that are parked or given up. Throws when the database is away.
    func deliveries() async throws -> Finding {
        Self.judge(unsettled: try await StoreFigures.read(from: pool, at: Surroundings.now()).unsettled)
    }

    static func judge(unsettled: [StoreFigures.Unsettled]) -> Finding {
        let given = unsettled.filter { $0.outcome.result == .quarantined }
        let parked = unsettled.filter { $0.outcome.result == .parked && $0.outcome.reason != .pending }
        let words = [("given up", given), ("parked", parked)].filter { !$1.isEmpty }.map { word, rows in
            "\(rows.reduce(0) { $0 + $1.count }) \(word) (\(rows.map(line).sorted().joined(separator: ", ")))"
        }
        let text = words.joined(separator: "; ")
        if !given.isEmpty {
            return .wrong(
                text,
                advice: "`gatepass webhooks list --state quarantined` shows them; then `gatepass webhooks replay ID`")
        }
        guard !parked.isEmpty else { return .ok("none is parked or given up") }
        return .warning(
            text, advice: "`gatepass webhooks list --state parked` shows them, and docs/support.md what to do")
    }

    private static func line(_ unsettled: StoreFigures.Unsettled) -> String {
        "\(unsettled.count) \(unsettled.outcome.reason?.rawValue ?? "") of \(unsettled.source)"
    }

    /// The jobs that are dead or late. Throws when the database is away.
    func jobs() async throws -> Finding {
        let figures = try await StoreFigures.read(from: pool, at: Surroundings.now())
        return Self.judge(figures.jobs, at: figures.readAt)
    }

    static func judge(_ jobs: [StoreFigures.Jobs], at now: Instant) -> Finding {
        let dead = jobs.filter { $0.dead > 0 }
        if !dead.isEmpty {
            let list = dead.map { "\($0.dead) of kind \($0.kind.rawValue)" }.joined(separator: ", ")
            return .wrong(
                "dead, for they failed eight times: \(list)",
                advice: "the server's log says why; `gatepass jobs list` names them, `jobs revive ID` tries one again")
        }
        let oldest = jobs.compactMap(\.oldestDueAt).min()
        if let oldest, now - oldest > longestDue {
            return .wrong(
                "due for \(age(of: oldest, at: now)), and no server takes them",
                advice: "start a server, or see in its log what keeps it")
        }
        let (due, later) = (jobs.reduce(0) { $0 + $1.due }, jobs.reduce(0) { $0 + $1.later })
        return .ok("none is dead or late; \(due) due, \(later) later")
    }

    /// The people for whom purchases of the Sandbox count. Throws when the database is away.
    func sandbox() async throws -> Finding {
        let testers = try await OperatorReader(pool: pool).sandboxTesters(before: nil, limit: 1)
        return Self.judge(
            startup.settings.sandboxAccess, inProduction: isProduction,
            isAnybodyNamed: !testers.rows.isEmpty || testers.next != nil)
    }

    static func judge(
        _ access: EntitlementSettings.SandboxAccess, inProduction: Bool, isAnybodyNamed: Bool
    ) -> Finding {
        let name = "`gatepass user tester USER --reason …` with the id of the account for App Review"
        switch access {
        case .everyone: return .ok("Sandbox purchases count for everyone")
        case .testers where isAnybodyNamed: return .ok("Sandbox purchases count for those who are named as testers")
        case .testers:
            let text = "Sandbox purchases count for testers, and nobody is named"
            return inProduction ? .warning(text + ", so App Review sees no purchase", advice: name) : .ok(text)
        case .nobody:
            let text = "Sandbox purchases count for nobody"
            return inProduction
                ? .warning(
                    text + ", so App Review sees no purchase", advice: "set sandbox_access: testers, then " + name)
                : .ok(text)
        }
    }
}
