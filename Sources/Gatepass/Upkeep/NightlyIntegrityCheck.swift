import Entitlements
import LedgerStore
import Logging
import MariaDB
import ServiceLifecycle

/// Verifies the audit trail, the API keys and the ledgers once a night, and says in the log what it found.
///
/// Each instance does so by itself, at a minute of its own. The check reads without locks, a page at a time, and rests
/// after each page of ledgers for as long as the page took, so requests wait for it no longer than for one of their
/// own.
struct NightlyIntegrityCheck: Service {
    /// After midnight, UTC, in milliseconds; instances begin within the hour that follows.
    private static let begins = 3 * Instant.millisecondsPerHour
    /// The pause after a check that the database did not let end.
    private static let pause = Duration.seconds(600)

    let pool: Pool
    let clock: WallClock
    let logger: Logger
    /// Learns what came of it.
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

    /// How long it is at `now` until the next check; `share` is how far into its hour that begins, from 0 to 1.
    static func wait(at now: Instant, share: Double) -> Duration {
        let day = Instant.millisecondsPerDay
        let sinceBeginning = (now.milliseconds - begins) % day
        return .milliseconds(day - sinceBeginning + Int64(share * Double(Instant.millisecondsPerHour)))
    }

    /// Checks now; false when the database did not let it end.
    func check() async -> Bool {
        let start = Surroundings.uptime()
        let pacing = WorkPacing(since: start)
        do {
            let check = try await IntegrityCheck(of: pool) { _ in await pacing.rest() }
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
