import LedgerStore
import Logging
import ServiceLifecycle

/// Makes standings anew soon after time or a new catalogue has changed them. Each instance does so, and each row is
/// made by only one of them.
struct StandingUpkeep: Service {
    private static let interval = Duration.seconds(5)

    let store: StoreDoor
    let logger: Logger

    /// Works until the process is to end. Throws nothing.
    ///
    /// After the start it also looks at all people once, page by page, because rows may be missing, or may follow from
    /// settings of before. Rows that wait for their time or for a new catalogue go before each page.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            var place: UInt64? = 0
            var hasComplained = false
            while !Task.isCancelled {
                let pacing = WorkPacing(since: Surroundings.uptime())
                do {
                    if store.isOpen {
                        let standings = try store().standings
                        while !Task.isCancelled, try await standings.makeDueAnew() > 0 { await pacing.rest() }
                        if let after = place { place = try await standings.makeWhole(after: after) }
                    }
                    hasComplained = false
                } catch {
                    if !hasComplained {
                        logger.warning("standings are not made anew", metadata: ["error": "\(error)"])
                    }
                    hasComplained = true
                }
                if store.isOpen, place != nil, !hasComplained {
                    await pacing.rest()
                } else {
                    try? await Task.sleep(for: Self.interval)  // cancelled: the loop ends
                }
            }
        }
    }
}
