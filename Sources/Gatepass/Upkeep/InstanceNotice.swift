import LedgerStore
import MariaDB
import ServiceLifecycle

/// Says in the database that this instance runs, and which database server it writes to.
struct InstanceNotice: Service {
    /// The pause while the database is away, or lacks the table.
    private static let pause = Duration.seconds(1)

    let pool: Pool

    /// Works until the process is to end. Throws nothing.
    func run() async throws {
        let (instances, id) = (Instances(pool: pool), Surroundings.attemptName())
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                // `try?` drops the error: the next round tries again.
                let isNoted: Void? = try? await instances.note(id)
                let pause = isNoted == nil ? Self.pause : Instances.interval
                try? await Task.sleep(for: pause)  // cancelled: the loop ends
            }
        }
    }
}
