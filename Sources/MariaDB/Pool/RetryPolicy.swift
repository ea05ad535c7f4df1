/// Decides whether a unit of work is run again, and how its last error is reported.
///
/// Invariant: once a COMMIT went unanswered, no later failure may sound like a definite no; only a duplicate key is
/// passed on as it is, since it tells the caller that the row is there.
struct RetryPolicy {
    private var retriesLeft: Int
    private var reconnectionsLeft = 2
    private var isInDoubt = false

    private static let minPause = Duration.milliseconds(5)
    private static let maxPause = Duration.milliseconds(50)

    init(retries: Int) {
        retriesLeft = retries
    }

    /// The pause before the unit is run again, or nil when it is not. `jitter` is from 0 up to 1.
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

    /// The error to report when the unit is not run again.
    func verdict(on error: DatabaseError) -> DatabaseError {
        guard isInDoubt, !error.isDuplicateKey else { return error }
        return DatabaseError(.commitUnknown, code: error.code, sqlState: error.sqlState, statement: error.statement)
    }
}
