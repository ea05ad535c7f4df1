/// Decides whether a unit of work is run again, and which error is reported at the end.
///
/// Invariant: once the outcome of a COMMIT is unknown, no later error is reported as a definite failure. Only a
/// duplicate key is reported unchanged, because it tells the caller that the row exists.
struct RetryPolicy {
    private var retriesLeft: Int
    private var reconnectionsLeft = 2
    private var isInDoubt = false

    private static let minPause = Duration.milliseconds(5)
    private static let maxPause = Duration.milliseconds(50)

    init(retries: Int) {
        retriesLeft = retries
    }

    /// The pause before the unit of work is run again; nil if it is not run again. `jitter` is a random number from 0
    /// to 1.
    mutating func pause(after error: DatabaseError, jitter: Double) -> Duration? {
        if error.isCommitUnknown { isInDoubt = true }
        let pause = Self.minPause + (Self.maxPause - Self.minPause) * jitter
        if error.isRetryable {
            retriesLeft -= 1
            return retriesLeft >= 0 ? pause : nil
        }
        if error.isCommitUnknown || error.isConnectionLost {
            reconnectionsLeft -= 1
            return reconnectionsLeft >= 0 ? pause : nil
        }
        return nil
    }

    /// The error to report if the unit of work is not run again.
    func verdict(on error: DatabaseError) -> DatabaseError {
        guard isInDoubt, !error.isDuplicateKey else { return error }
        return DatabaseError(.commitUnknown, code: error.code, sqlState: error.sqlState, statement: error.statement)
    }
}
