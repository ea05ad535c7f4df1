/// Decides whether a unit of work is run again, and which error is reported at the end.
///
/// Invariant: once the outcome of a COMMIT is unknown, no later error is reported as a definite failure. Only a
/// duplicate key is reported unchanged, because it tells the caller that the row exists.
struct RetryPolicy {
    private let retries: Int
    private var conflicts = 0
    private var reconnectionsLeft = 2
    /// True if a COMMIT was not answered, so that an earlier run may be committed.
    private(set) var isInDoubt = false

    private static let minPause = Duration.milliseconds(5)
    private static let maxPause = Duration.milliseconds(400)
    /// A lock wait time-out counts as so many conflicts, because each has taken seconds.
    private static let weightOfTimeout = 8

    /// A policy for one unit of work, which is run again after at most `retries` conflicts.
    init(retries: Int) {
        self.retries = retries
    }

    /// The pause before the unit of work is run again; nil if it is not run again. `jitter` is a random number from 0
    /// to 1.
    ///
    /// The longest pause after a conflict is 50 milliseconds at first and doubles each time. Two nodes of a Galera
    /// cluster that write the same rows find out only at COMMIT, so each run may meet another conflict.
    mutating func pause(after error: DatabaseError, jitter: Double) -> Duration? {
        if error.isCommitUnknown { isInDoubt = true }
        if error.isRetryable {
            conflicts += error.isLockWaitTimeout ? Self.weightOfTimeout : 1
            return conflicts <= retries ? pause(after: conflicts, jitter) : nil
        }
        if error.isCommitUnknown || error.isConnectionLost || error.isNodeWithoutCluster {
            reconnectionsLeft -= 1
            return reconnectionsLeft >= 0 ? pause(after: 1, jitter) : nil
        }
        return nil
    }

    private func pause(after conflicts: Int, _ jitter: Double) -> Duration {
        let longest = min(Self.maxPause, .milliseconds(50) * (1 << min(conflicts - 1, 8)))
        return Self.minPause + (longest - Self.minPause) * jitter
    }

    /// The error to report if the unit of work is not run again.
    func verdict(on error: DatabaseError) -> DatabaseError {
        guard isInDoubt, !error.isDuplicateKey else { return error }
        return DatabaseError(.commitUnknown, code: error.code, sqlState: error.sqlState, statement: error.statement)
    }
}
