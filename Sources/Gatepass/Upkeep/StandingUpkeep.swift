import LedgerStore
import ServiceLifecycle

/// Makes standings anew soon after time or a new catalogue has changed them. Each instance does so, and each row is
/// made by only one of them.
struct StandingUpkeep: Service {
    private static let interval = Duration.seconds(5)

    let store: StoreDoor

    /// Works until the process is to end. Throws nothing.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                // `try?` drops the error: if the database cannot be reached, the rows are made anew after the pause.
                try? await makeAllDueAnew()
                try? await Task.sleep(for: Self.interval)  // cancelled: the loop ends
            }
        }
    }

    private func makeAllDueAnew() async throws {
        guard store.isOpen else { return }
        let pacing = WorkPacing(since: Surroundings.uptime())
        while !Task.isCancelled, try await store().standings.makeDueAnew() > 0 { await pacing.rest() }
    }
}
