import EntitlementAPI
import LedgerStore
import MariaDB
import Synchronization

/// A query with a short time-out, so that a health request does not wait for a database that hangs.
///
/// Only one query runs at a time, and all callers share its answer. When all callers have stopped waiting, the query
/// goes on until the pool's own time-out.
final class SharedQuestion<Answer: Sendable>: Sendable {
    private let ask: @Sendable () async -> Answer?
    private let asking = Mutex<Task<Answer?, Never>?>(nil)

    init(_ ask: @escaping @Sendable () async -> Answer?) {
        self.ask = ask
    }

    /// The answer; nil if the database does not answer within 1.5 seconds.
    func answer() async -> Answer? {
        await question().value(within: .milliseconds(1_500)) ?? nil
    }

    private func question() -> Task<Answer?, Never> {
        asking.withLock { asking in
            if let asking { return asking }
            let task = Task { [self] in
                let answer = await ask()
                self.asking.withLock { $0 = nil }
                return answer
            }
            asking = task
            return task
        }
    }
}
