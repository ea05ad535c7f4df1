/// An error of the database or of the connection to it.
///
/// The error has codes and the statement's name, but never row data, parameters or SQL text, and the server's own words
/// only where no connection was made. So it can be logged unchanged.
package struct DatabaseError: Error, Hashable {
    /// The cause of the error, in the cases that a caller may want to tell apart.
    package enum Cause: Hashable, Sendable {
        /// The server answered with an error; `code` is its number.
        case refused
        /// The connection could not be made, or it broke. Outside a transaction the statement may have been carried
        /// out.
        case connectionLost
        /// The connection broke at COMMIT. The transaction may be committed, may not be, or may be committed a little
        /// later.
        case commitUnknown
        /// The transaction ended before its closure did: a statement committed implicitly, or a Galera cluster aborted
        /// the transaction without an error. A transaction may run again, so nothing in it may commit implicitly.
        case transactionOver
        /// The closure gave the transaction up, because a row that it relied on is gone. Nothing was written.
        case givenUp
        /// The session did not take the settings that this client requires.
        case sessionNotPinned
        /// A cell is NULL, of another type, out of range or missing; the column counts from 0.
        case unexpectedCell(column: Int)
        /// The parameters do not fit the statement, or are larger than the server accepts.
        case parameters
        /// The calls were made in an order that can never work, such as a transaction in a transaction.
        case misuse
        /// No connection could be opened for a while; nothing was sent.
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
    /// The five characters of the SQLSTATE; empty if there is none.
    package let sqlState: String
    /// The name of the statement, never its text.
    package let statement: String
    /// The reason why no connection was made, with database, address and account; empty for any other error.
    package let words: String

    /// An error of `cause` in the statement named `statement`.
    package init(_ cause: Cause, code: Int = 0, sqlState: String = "", statement: String, words: String = "") {
        self.cause = cause
        self.code = code
        self.sqlState = sqlState
        self.statement = statement
        self.words = words
    }

    /// An error that the client library reported by number: a refusal, or a lost connection.
    init(code: Int, sqlState: String, statement: String) {
        let isLost = Self.codesOfLostConnections.contains(code) || Self.codesOfTheLibrary.contains(code)
        self.init(isLost ? .connectionLost : .refused, code: code, sqlState: sqlState, statement: statement)
    }
}

extension DatabaseError {
    /// True if the same unit of work may succeed when it is run again from its start, after a short pause. A Galera
    /// cluster may end a transaction with no error but for the state that the next statement finds
    /// (`.transactionOver`).
    package var isRetryable: Bool {
        cause == .refused && Self.retryableCodes.contains(code) || cause == .transactionOver
    }

    /// True if the connection is lost, and with it everything that was not committed.
    package var isConnectionLost: Bool {
        cause == .connectionLost
    }

    /// True if the client library met nobody at an address, so that no server refused anything.
    var isAway: Bool { Self.codesOfTheLibrary.contains(code) }

    /// True if it is unknown whether the transaction was committed.
    package var isCommitUnknown: Bool {
        cause == .commitUnknown
    }

    /// True if the server refused a write because it is a replica or read-only, or is a node without its cluster.
    /// Another node may accept it.
    package var isWrongNode: Bool {
        switch cause {
        case .refused: Self.codesOfWrongNodes.contains(code) || isNodeWithoutCluster
        case .commitUnknown: code == Self.nodeNotPrepared
        default: false
        }
    }

    /// True if the server is a node of a Galera cluster that has lost the majority, or rejects queries.
    package var isNodeWithoutCluster: Bool { cause == .refused && code == Self.nodeNotPrepared }

    /// True if a statement waited for a row lock for as long as it may.
    var isLockWaitTimeout: Bool { cause == .refused && code == Self.lockWaitTimeout }

    /// True if the same unit of work may succeed later: the server is away, busy, full or read-only, or the outcome is
    /// unknown.
    package var isPassing: Bool {
        switch cause {
        case .connectionLost, .commitUnknown, .transactionOver, .givenUp, .unavailable, .overloaded, .shuttingDown,
            .cancelled:
            true
        case .refused: isRetryable || isWrongNode || Self.codesOfPassingRefusals.contains(code)
        case .sessionNotPinned, .unexpectedCell, .parameters, .misuse: false
        }
    }

    /// True if a row with the same unique key already exists.
    package var isDuplicateKey: Bool {
        cause == .refused && Self.codesOfDuplicateKeys.contains(code)
    }

    /// This error as it is reported at COMMIT. If the connection is lost, or the code is "error during commit" (1180)
    /// or that of a node that lost its cluster, it becomes `.commitUnknown`.
    func atCommit() -> DatabaseError {
        guard isConnectionLost || isNodeWithoutCluster || code == Self.errorDuringCommit else { return self }
        return DatabaseError(.commitUnknown, code: code, sqlState: sqlState, statement: statement)
    }

    /// Failures after which a transaction can be repeated: deadlock or failed certification, lock wait time-out, record
    /// changed, statement must be prepared again.
    private static let retryableCodes: Set<Int> = [1213, 1205, 1020, 1615]
    /// The server refuses writes: read-only option, read-only transaction, read-only server.
    private static let codesOfWrongNodes: Set<Int> = [1290, 1792, 1836]
    /// Refusals that may pass: disk full, error of the storage engine, out of memory, table full, interrupted.
    private static let codesOfPassingRefusals: Set<Int> = [1021, 1030, 1037, 1041, 1114, 1317]
    /// Duplicate entry, without and with the key's name.
    private static let codesOfDuplicateKeys: Set<Int> = [duplicateEntry, 1586]
    private static let duplicateEntry = 1062
    /// Too many connections, shutdown, aborted, packet errors, killed. The server closes the connection after these.
    private static let codesOfLostConnections: Set<Int> = [
        1040, 1053, 1152, 1153, 1154, 1155, 1156, 1157, 1158, 1159, 1160, 1161, 1184, 1927, 5013, 5014,
    ]
    /// The numbers of the client library's own errors. After any of them the state of the protocol is unknown.
    private static let codesOfTheLibrary = 2000..<3000
    private static let errorDuringCommit = 1180
    private static let lockWaitTimeout = 1205
    /// A node of a Galera cluster is "not yet prepared for application use".
    private static let nodeNotPrepared = 1047
}

extension DatabaseError: CustomStringConvertible {
    /// A line for a log: the words of a connection that was not made, else cause, statement's name and code.
    package var description: String {
        guard words.isEmpty else { return words }
        return code == 0 ? "\(cause) at \(statement)" : "\(cause) at \(statement): \(code) (\(sqlState))"
    }
}
