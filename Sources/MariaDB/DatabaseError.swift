/// A fault of the database or of the way to it.
///
/// Carries codes and the statement's name; never row data, parameters or SQL text, so it can be logged as it is.
package struct DatabaseError: Error, Hashable {
    /// The cause of the error, as far as a caller may want to act on it.
    package enum Cause: Hashable, Sendable {
        /// The server answered with an error; `code` says which.
        case refused
        /// The connection could not be made or broke. Outside a transaction the statement may have been carried out.
        case connectionLost
        /// The connection broke at COMMIT: the transaction is on disk, or is not, or will be shortly.
        case commitUnknown
        /// The transaction ended under the closure: an earlier statement failed, or one committed implicitly.
        case transactionOver
        /// The closure gave the transaction up, because what it relied on is gone; nothing was written.
        case givenUp
        /// The session did not take the settings this client insists on.
        case sessionNotPinned
        /// A cell is NULL, of another type, out of range or missing; the column counts from 0.
        case unexpectedCell(column: Int)
        /// The parameters do not fit the statement, or are larger than the server takes.
        case parameters
        /// The calls were made in an order that can never work, such as a transaction in a transaction.
        case misuse
        /// No connection could be opened lately; nothing was sent.
        case unavailable
        /// No connection became free in time, or too many callers wait; nothing was sent.
        case overloaded
        /// The pool is closing; nothing was sent.
        case shuttingDown
        /// The task was cancelled while it waited for a connection; nothing was sent.
        case cancelled
    }

    package let cause: Cause
    /// The error number of the server (1000 and up) or of the client library (2000 and up); 0 when there is none.
    package let code: Int
    /// The five characters of the SQLSTATE, or empty.
    package let sqlState: String
    /// The name of the statement, never its text.
    package let statement: String

    /// An error of `cause`, met at the statement named `statement`.
    package init(_ cause: Cause, code: Int = 0, sqlState: String = "", statement: String) {
        self.cause = cause
        self.code = code
        self.sqlState = sqlState
        self.statement = statement
    }

    /// An error the library reported by number: a refusal, or a lost connection.
    init(code: Int, sqlState: String, statement: String) {
        let isLost = Self.codesOfLostConnections.contains(code) || Self.codesOfTheLibrary.contains(code)
        self.init(isLost ? .connectionLost : .refused, code: code, sqlState: sqlState, statement: statement)
    }
}

extension DatabaseError {
    /// True if the same unit of work may succeed if it is run again from its start, after a short pause.
    package var isRetryable: Bool {
        cause == .refused && Self.retryableCodes.contains(code)
    }

    /// True if the connection is gone, and with it everything that was not committed.
    package var isConnectionLost: Bool {
        cause == .connectionLost
    }

    /// True if nobody can tell if the transaction was committed.
    package var isCommitUnknown: Bool {
        cause == .commitUnknown
    }

    /// True if the server took no write because it is a replica or read-only: another node may take it.
    package var isWrongNode: Bool {
        Self.codesOfWrongNodes.contains(code)
    }

    /// True if the same unit of work may succeed later: the server is away, busy, full or read-only, or nobody can tell
    /// what became of the work.
    package var isPassing: Bool {
        switch cause {
        case .connectionLost, .commitUnknown, .givenUp, .unavailable, .overloaded, .shuttingDown, .cancelled: true
        case .refused: isRetryable || isWrongNode || Self.codesOfPassingRefusals.contains(code)
        case .transactionOver, .sessionNotPinned, .unexpectedCell, .parameters, .misuse: false
        }
    }

    /// True if a row with the same unique key is there already.
    package var isDuplicateKey: Bool {
        cause == .refused && Self.codesOfDuplicateKeys.contains(code)
    }

    /// This error, seen at COMMIT: when the answer is missing or says "error during commit" (1180), the outcome is
    /// open.
    func atCommit() -> DatabaseError {
        guard isConnectionLost || code == Self.errorDuringCommit else { return self }
        return DatabaseError(.commitUnknown, code: code, sqlState: sqlState, statement: statement)
    }

    /// Deadlock or failed certification, lock timeout, record changed, node not ready, statement to be prepared again.
    private static let retryableCodes: Set<Int> = [1213, 1205, 1020, 1047, 1615]
    /// Read-only option, read-only transaction, read-only server.
    private static let codesOfWrongNodes: Set<Int> = [1290, 1792, 1836]
    /// Disk full, error of the storage engine, out of memory, table full, interrupted.
    private static let codesOfPassingRefusals: Set<Int> = [1021, 1030, 1037, 1041, 1114, 1317]
    /// Duplicate entry; the same with the key's name.
    private static let codesOfDuplicateKeys: Set<Int> = [duplicateEntry, 1586]
    private static let duplicateEntry = 1062
    /// Too many connections, shutdown, aborted, packet errors, killed: the server closes the connection after these.
    private static let codesOfLostConnections: Set<Int> = [
        1040, 1053, 1152, 1153, 1154, 1155, 1156, 1157, 1158, 1159, 1160, 1161, 1184, 1927, 5013, 5014,
    ]
    /// Numbers the client library gives itself; after any of them the protocol's state is not to be trusted.
    private static let codesOfTheLibrary = 2000..<3000
    private static let errorDuringCommit = 1180
}

extension DatabaseError: CustomStringConvertible {
    /// A line for a log: cause, code and the statement's name.
    package var description: String {
        code == 0 ? "\(cause) at \(statement)" : "\(cause) at \(statement): \(code) (\(sqlState))"
    }
}
