import Entitlements
import LedgerStore
import Logging
import MariaDB
import ServiceLifecycle

/// Runs the integrity check of the audit trail, the API keys and the ledgers once a night, and logs the result.
///
/// Each instance runs its own check, at a random minute of the hour. The check reads page by page, and
/// locks only a person whose rows seem wrong.
/// After each page of ledgers it rests for as long as the page took. So a request waits for the check no longer than
/// for another request.
struct NightlyIntegrityCheck: Service {
    /// The earliest time of a check: 03:00 UTC, in milliseconds after midnight. Instances begin within an hour from
    /// then.
    private static let begins = 3 * Instant.millisecondsPerHour
    /// The pause after a check that an error of the database ended early.
    private static let pause = Duration.seconds(600)

    let pool: Pool
    /// The derived tables; nil until the database is open.
    let derived: @Sendable () -> IntegrityCheck.Derived?
    let clock: WallClock
    let logger: Logger
    /// Called with the result of each check.
    let note: @Sendable (IntegrityHealth) -> Void

    /// Works until the process is to end. Throws nothing.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            var wait = Self.wait(at: clock.now(), share: Surroundings.pool.jitter())
            while true {
                try? await Task.sleep(for: wait)  // cancelled: the loop ends
                guard !Task.isCancelled else { return }
                let isDone = await check()
                wait = isDone ? Self.wait(at: clock.now(), share: Surroundings.pool.jitter()) : Self.pause
            }
        }
    }

    /// The time from `now` to the next check, which begins within the hour after 03:00 UTC. `share`, from 0 to 1, says
    /// when in that hour. For example, 0.5 is 03:30. From 03:00 on, the next check is that of the next day.
    static func wait(at now: Instant, share: Double) -> Duration {
        let day = Instant.millisecondsPerDay
        let sinceBeginning = (now.milliseconds - begins) % day
        return .milliseconds(day - sinceBeginning + Int64(share * Double(Instant.millisecondsPerHour)))
    }

    /// Runs the check; false if an error of the database ended it early.
    func check() async -> Bool {
        let start = Surroundings.uptime()
        let pacing = WorkPacing(since: start)
        do {
            let check = try await IntegrityCheck(of: pool, derived: derived()) { _ in await pacing.rest() }
            let seconds = (Surroundings.uptime() - start).components.seconds
            note(IntegrityHealth(faults: check.faults.count, at: clock.now()))
            for fault in check.faults { logger.error("the books are not whole", metadata: ["fault": "\(fault)"]) }
            guard check.faults.isEmpty else { return true }
            logger.info(
                "the books are whole",
                metadata: [
                    "ledgers": "\(check.ledgers.done.people)", "entries": "\(check.ledgers.done.entries)",
                    "audit_entries": "\(check.trail.head.length)", "api_keys": "\(check.keys.keys)",
                    "seconds": "\(seconds)",
                ])
            return true
        } catch {
            logger.warning("the books could not be verified", metadata: ["error": "\(error)"])
            return false
        }
    }
}
