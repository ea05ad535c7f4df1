import LedgerStore
import MariaDB
import ServiceLifecycle

/// Says in the database that this instance runs, and which database server it writes to, until the end.
struct InstanceNotice: Service {
    let pool: Pool
    private let id = Surroundings.attemptName()

    init(pool: Pool) { self.pool = pool }

    /// Works until the process is to end. Throws nothing.
    func run() async throws {
        let instances = Instances(pool: pool, now: WallClock.real.now)
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                try? await instances.note(id)  // the database is away: the next round says it
                try? await Task.sleep(for: .milliseconds(Instances.interval))  // cancelled: the loop ends
            }
        }
        try? await instances.end(id)  // the database is away: the row grows old
    }
}
