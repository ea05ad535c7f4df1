extension Session {
    static let begin = SQLStatement("begin", "START TRANSACTION")
    private static let commit = SQLStatement("commit", "COMMIT")
    static let rollback = SQLStatement("rollback", "ROLLBACK")

    /// Runs `body` in a transaction. Commits when `body` returns. Rolls back when `body` throws, or when any statement
    /// in it failed, even if `body` caught that error.
    ///
    /// Throws:
    ///
    /// * what `body` throws
    /// * the error of the first failed statement, if `body` caught it
    /// * `.transactionOver` if a statement committed implicitly, or a Galera cluster aborted the transaction without an
    ///   error
    /// * `.commitUnknown` if the connection broke at COMMIT
    /// * `.misuse` if a transaction is already open
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
            // No lock is waited for here: a node of a cluster waited in vain for what the others had committed.
            guard error.isLockWaitTimeout else { throw error }
            throw DatabaseError(
                .connectionLost, code: error.code, sqlState: error.sqlState, statement: error.statement)
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
        sentCount += 1
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

    /// Rolls back. If that fails, the connection counts as broken, and the server rolls back when the connection is
    /// closed.
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
