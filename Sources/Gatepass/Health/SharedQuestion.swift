import EntitlementAPI
import LedgerStore
import MariaDB
import Synchronization

/// A question to the database that gets little time, so that a caller who asks for the server's health does not wait
/// for a database that hangs.
///
/// A single question is on its way at a time, and all askers share its answer. The pool's own limits end it, also when
/// the askers have gone.
final class SharedQuestion<Answer: Sendable>: Sendable {
    private let ask: @Sendable () async -> Answer?
    private let asking = Mutex<Task<Answer?, Never>?>(nil)

    init(_ ask: @escaping @Sendable () async -> Answer?) {
        self.ask = ask
    }

    /// Nil when the database does not answer, or not in time.
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
