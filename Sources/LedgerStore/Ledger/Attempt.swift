import MariaDB
import Synchronization

/// The last outcome that a batch was about to commit, so that its next run can find out whether that was committed.
///
/// When the connection breaks at COMMIT, the batch runs again. A decision that already took effect could then refuse
/// itself, for example a transfer. If the ledger entry at one of the new heads exists, the whole transaction was
/// committed.
final class Attempt: Sendable {
    private let last = Mutex<Batch.Outcome?>(nil)

    /// The outcome of the previous run if that was committed after all; else the verdict of `write`. Throws what
    /// `write` throws.
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
