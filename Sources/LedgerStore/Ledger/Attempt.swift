import MariaDB
import Synchronization

/// The last outcome that a batch was about to commit, so that its next run can find out whether that was committed.
///
/// When the connection breaks at COMMIT, the batch runs again. A decision that already took effect could then refuse
/// itself, for example a transfer. If the ledger entries at the new heads exist, the whole transaction was committed.
/// After a refusal at COMMIT, as of a Galera cluster, equal entries are another instance's.
final class Attempt: Sendable {
    private let last = Mutex<Batch.Outcome?>(nil)

    /// The outcome of the previous run if that was committed after all; else the verdict of `write`. Throws what
    /// `write` throws.
    func repeated(
        in session: Session, write: () throws(DatabaseError) -> Batch.Verdict
    ) throws(DatabaseError) -> Batch.Verdict {
        if session.isInDoubt, let outcome = last.withLock({ $0 }), !outcome.written.heads.isEmpty {
            var isCommitted = true
            for head in outcome.written.heads where isCommitted {
                isCommitted = try LedgerEntryRow.holds(head, in: session)
            }
            if isCommitted { return .written(outcome) }
        }
        let verdict = try write()
        switch verdict {
        case .written(let outcome): last.withLock { $0 = outcome }
        case .outdated, .tooHeavy: last.withLock { $0 = nil }
        }
        return verdict
    }
}
