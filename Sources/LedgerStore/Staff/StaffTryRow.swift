import Entitlements
import MariaDB

/// A row of `staff_tries`: a try to sign in that was let through to the password.
enum StaffTryRow {
    private static let here = SQLStatement(
        "read tries from network",
        """
        SELECT at, succeeded FROM staff_tries FORCE INDEX (by_network) WHERE account = ? AND network = ?
        ORDER BY id DESC LIMIT ?
        """)

    private static let success = SQLStatement(
        "find success from network",
        """
        SELECT 1 FROM staff_tries FORCE INDEX (by_success)
        WHERE account = ? AND network = ? AND succeeded = 1 AND at > ? LIMIT 1
        """)

    private static let anywhere = SQLStatement(
        "read tries at account",
        """
        SELECT at, succeeded FROM staff_tries FORCE INDEX (by_account) WHERE account = ? ORDER BY id DESC LIMIT ?
        """)

    private static let insert = SQLStatement(
        "insert try",
        "INSERT INTO staff_tries (account, network, at, succeeded) VALUES (?, ?, ?, 0) RETURNING id")

    private static let succeed = SQLStatement(
        "note success of try", "UPDATE staff_tries SET succeeded = 1 WHERE id = ?")

    private static let sweep = SQLStatement(
        "sweep tries", "DELETE FROM staff_tries WHERE succeeded = ? AND at < ? ORDER BY at LIMIT ?")

    /// The last tries at an account from a network, the last first.
    static func here(
        _ account: Label, _ network: Label, limit: Int, in session: Session
    ) throws(DatabaseError) -> [SignInPace.Try] {
        try session.query(here, [.text(account.text), .text(network.text), Value(limit)], decode: decode)
    }

    /// True if a try at an account from a network succeeded after `instant`.
    static func hasSucceeded(
        _ account: Label, _ network: Label, after instant: Instant, in session: Session
    ) throws(DatabaseError) -> Bool {
        let found = try session.query(
            success, [.text(account.text), .text(network.text), .int64(instant.milliseconds)])
        return !found.isEmpty
    }

    /// The instants of the failures among the last tries at an account from all networks, the last first.
    static func failuresAnywhere(
        _ account: Label, limit: Int, in session: Session
    ) throws(DatabaseError) -> [Instant] {
        try session.query(anywhere, [.text(account.text), Value(limit)], decode: decode)
            .filter { !$0.succeeded }.map(\.at)
    }

    /// Inserts a try as a failure, and returns its id.
    static func insert(
        _ account: Label, _ network: Label, at now: Instant, in session: Session
    ) throws(DatabaseError) -> UInt64 {
        let rows = try session.query(insert, [.text(account.text), .text(network.text), .int64(now.milliseconds)])
        guard let row = rows.first else { throw DatabaseError(.unexpectedCell(column: 0), statement: insert.name) }
        return try row.uint64(0)
    }

    /// Notes that a try succeeded.
    static func succeed(_ id: UInt64, in session: Session) throws(DatabaseError) {
        try session.execute(succeed, [.uint64(id)])
    }

    /// Deletes up to `limit` failures or successes from before `instant`, and returns their number.
    static func sweep(
        succeeded: Bool, before instant: Instant, limit: Int, in session: Session
    ) throws(DatabaseError) -> Int {
        Int(try session.execute(sweep, [Value(succeeded ? 1 : 0), .int64(instant.milliseconds), Value(limit)]))
    }

    private static func decode(_ row: Row) throws(DatabaseError) -> SignInPace.Try {
        SignInPace.Try(at: Instant(milliseconds: try row.int64(0)), succeeded: try row.bool(1))
    }
}
