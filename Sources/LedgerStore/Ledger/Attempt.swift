import MariaDB
import Synchronization

/// Remembers what a run of a batch was about to commit, so that the next run finds out whether it was committed.
///
/// When the connection breaks at COMMIT, the batch runs again. A decision that is not its own repeat, such as a
/// transfer, would then refuse what it did itself; but if the entry at one of the heads is there, everything is.
final class Attempt: Sendable {
    private let last = Mutex<Batch.Outcome?>(nil)

    /// The outcome of the run before, if it was committed after all; else the outcome of `write`. Throws what `write`
    /// throws.
    func repeated(
        in session: Session, write: () throws(DatabaseError) -> Batch.Verdict
    ) throws(DatabaseError) -> Batch.Verdict {
        if let outcome = last.withLock({ $0 }), let head = outcome.written.head {
            if try LedgerEntryRow.holds(head, in: session) { return .written(outcome) }
        }
        let verdict = try write()
        switch verdict {
        case .written(let outcome): last.withLock { $0 = outcome }
        case .outdated, .tooHeavy: last.withLock { $0 = nil }
        }
        return verdict
    }
}
