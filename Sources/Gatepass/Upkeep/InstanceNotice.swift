import LedgerStore
import MariaDB
import ServiceLifecycle

/// Says in the database that this instance runs, and which database server it writes to.
struct InstanceNotice: Service {
    let pool: Pool

    /// Works until the process is to end. Throws nothing.
    func run() async throws {
        let (instances, id) = (Instances(pool: pool), Surroundings.attemptName())
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                try? await instances.note(id)  // the database is away or lacks the table: the next round tries again
                try? await Task.sleep(for: Instances.interval)  // cancelled: the loop ends
            }
        }
    }
}
