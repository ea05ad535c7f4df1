import EntitlementAPI
import LedgerStore
import MariaDB
import Synchronization

/// Asks the database whether it can serve, and gives it little time: a load balancer does not wait for a server that
/// hangs.
///
/// One question is on its way at a time, and all askers share its answer. It ends by the pool's own limits, also if the
/// askers have gone.
final class DatabaseProbe: Sendable {
    private static let patience = Duration.milliseconds(1_500)

    private let pool: Pool
    private let asking = Mutex<Task<Int?, Never>?>(nil)

    init(pool: Pool) {
        self.pool = pool
    }

    /// The schema's version; nil when the database cannot be written to, lacks a table, or does not say in time.
    func schemaVersion() async -> Int? {
        await question().value(within: Self.patience) ?? nil
    }

    private func question() -> Task<Int?, Never> {
        asking.withLock { asking in
            if let asking { return asking }
            let task = Task { [self] in
                let version = try? await Schema.writableVersion(in: pool)  // why not stands in the pool's log
                self.asking.withLock { $0 = nil }
                return version
            }
            asking = task
            return task
        }
    }
}
