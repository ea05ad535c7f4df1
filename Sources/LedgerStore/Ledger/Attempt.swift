import MariaDB
import Synchronization

/// The outcomes that a batch was about to commit, so that its later runs can find out whether one was committed.
///
/// When the connection breaks at COMMIT, the batch runs again. A decision that already took effect could then refuse
/// itself, for example a transfer. If the ledger entries at the new heads exist, the whole transaction was committed.
/// While no COMMIT is in doubt, equal entries are another instance's, for example after a refusal by a Galera cluster.
final class Attempt: Sendable {
    /// The outcome of the last run; nil if that decided nothing.
    private let last = Mutex<Batch.Outcome?>(nil)
    /// The outcomes that may have been committed: that of the COMMIT without an answer, and later ones. A cluster may
    /// commit the first while a later run is at work.
    private let inDoubt = Mutex<[Batch.Outcome]>([])

    /// The outcome of an earlier run if that was committed after all; else the verdict of `write`. Throws what `write`
    /// throws.
    func repeated(
        in session: Session, write: () throws(DatabaseError) -> Batch.Verdict
    ) throws(DatabaseError) -> Batch.Verdict {
        let earlier = last.withLock { last in
            defer { last = nil }
            return last
        }
        let inDoubt = inDoubt.withLock { outcomes in
            if session.isInDoubt, let earlier { outcomes.append(earlier) }
            return outcomes
        }
        for outcome in inDoubt where !outcome.written.heads.isEmpty {
            var isCommitted = true
            for head in outcome.written.heads where isCommitted {
                isCommitted = try LedgerEntryRow.holds(head, in: session)
            }
            if isCommitted { return .written(outcome) }
        }
        let verdict = try write()
        if case .written(let outcome) = verdict { last.withLock { $0 = outcome } }
        return verdict
    }
}
