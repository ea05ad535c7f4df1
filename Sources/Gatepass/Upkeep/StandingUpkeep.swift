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
    func run() async throws {
        await cancelWhenGracefulShutdown {
            var (isWhole, hasComplained) = (false, false)
            while !Task.isCancelled {
                do {
                    if store.isOpen {
                        if !isWhole { try await makeWhole() }
                        isWhole = true
                        try await makeDueAnew()
                    }
                    hasComplained = false
                } catch {
                    if !hasComplained {
                        logger.warning("standings are not made anew", metadata: ["error": "\(error)"])
                    }
                    hasComplained = true
                }
                try? await Task.sleep(for: Self.interval)  // cancelled: the loop ends
            }
        }
    }

    /// Makes the rows that are missing, and those of other settings, once after the start. Only then nothing but time
    /// and the catalogue leaves rows to be made anew.
    private func makeWhole() async throws {
        let pacing = WorkPacing(since: Surroundings.uptime())
        var place: UInt64? = 0
        while !Task.isCancelled, let after = place {
            place = try await store().standings.makeMissing(after: after)
            await pacing.rest()
        }
        while !Task.isCancelled, try await store().standings.makeForeignAnew() > 0 { await pacing.rest() }
    }

    private func makeDueAnew() async throws {
        let pacing = WorkPacing(since: Surroundings.uptime())
        while !Task.isCancelled, try await store().standings.makeDueAnew() > 0 { await pacing.rest() }
    }
}
