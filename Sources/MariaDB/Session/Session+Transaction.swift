extension Session {
    private static let begin = SQLStatement("begin", "START TRANSACTION")
    private static let commit = SQLStatement("commit", "COMMIT")
    private static let rollback = SQLStatement("rollback", "ROLLBACK")

    /// Runs `body` in a transaction: commits when it returns, rolls back when it throws or when any statement in it
    /// failed, even if `body` caught the error.
    ///
    /// Throws what `body` throws; the first failed statement's error when `body` kept it to itself; `.transactionOver`
    /// when a statement committed implicitly; `.commitUnknown` when the connection broke at COMMIT; `.misuse` when one
    /// is open already.
    @discardableResult
    package func transaction<T>(_ body: (Session) throws(DatabaseError) -> T) throws(DatabaseError) -> T {
        guard transactionState == .none, !wire.isInTransaction else {
            throw DatabaseError(.misuse, statement: Self.begin.name)
        }
        try start()
        defer { transactionState = .none }
        let result: T
        do {
            result = try body(self)
        } catch {
            rollBack()
            throw error
        }
        try finish()
        return result
    }

    private func start() throws(DatabaseError) {
        guard !isBroken else { throw DatabaseError(.connectionLost, statement: Self.begin.name) }
        do {
            try wire.run(Self.begin)
        } catch {
            isBroken = true
            throw error
        }
        transactionState = .open
    }

    private func finish() throws(DatabaseError) {
        if case .failed(let first) = transactionState {
            rollBack()
            throw first
        }
        guard wire.isInTransaction else {
            throw DatabaseError(.transactionOver, statement: Self.commit.name)
        }
        hasSent = true
        do {
            try wire.run(Self.commit)
        } catch {
            let outcome = error.atCommit()
            if outcome.isCommitUnknown {
                isBroken = true
            } else {
                rollBack()
            }
            throw outcome
        }
    }

    /// A connection that cannot even roll back is dropped: the server rolls back when it closes.
    private func rollBack() {
        guard !isBroken else { return }
        do {
            try wire.run(Self.rollback)
            isBroken = wire.isInTransaction
        } catch {
            isBroken = true
        }
    }
}
