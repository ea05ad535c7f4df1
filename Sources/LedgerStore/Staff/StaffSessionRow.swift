import Entitlements
import MariaDB

/// A row of `staff_sessions`: a sign-in that lasts, by the SHA-256 of its token.
enum StaffSessionRow {
    private static let byToken = SQLStatement(
        "find staff session",
        """
        SELECT t.id, t.created_at, t.seen_at, t.ends_at, \(StaffRow.columns)
        FROM staff_sessions t STRAIGHT_JOIN staff s ON s.id = t.staff_id
        WHERE t.token_hash = ?
        """)

    private static let open = SQLStatement(
        "list staff sessions",
        """
        SELECT t.id, t.created_at, t.seen_at, t.ends_at, \(StaffRow.columns)
        FROM staff_sessions t FORCE INDEX (by_end) STRAIGHT_JOIN staff s ON s.id = t.staff_id
        WHERE t.ends_at > ? ORDER BY t.ends_at DESC LIMIT ?
        """)

    private static let insert = SQLStatement(
        "insert staff session",
        "INSERT INTO staff_sessions (staff_id, token_hash, created_at, seen_at, ends_at) VALUES (?, ?, ?, ?, ?)")

    private static let touch = SQLStatement(
        "touch staff session", "UPDATE staff_sessions SET seen_at = ? WHERE id = ? AND seen_at < ?")

    private static let end = SQLStatement("end staff session", "DELETE FROM staff_sessions WHERE id = ?")

    private static let endAll = SQLStatement("end staff sessions", "DELETE FROM staff_sessions WHERE staff_id = ?")

    private static let ofStaff = SQLStatement(
        "list sessions of staff",
        """
        SELECT t.id, t.created_at, t.seen_at, t.ends_at, \(StaffRow.columns)
        FROM staff_sessions t STRAIGHT_JOIN staff s ON s.id = t.staff_id
        WHERE t.staff_id = ? ORDER BY t.id DESC LIMIT ?
        """)

    private static let endOne = SQLStatement(
        "end one staff session", "DELETE FROM staff_sessions WHERE id = ? AND staff_id = ?")

    private static let endOthers = SQLStatement(
        "end other staff sessions", "DELETE FROM staff_sessions WHERE staff_id = ? AND id <> ?")

    private static let sweep = SQLStatement(
        "sweep staff sessions", "DELETE FROM staff_sessions WHERE ends_at <= ? ORDER BY ends_at LIMIT ?")

    /// The session with this token, whether or not it is over; nil if there is none.
    static func find(tokenHash: [UInt8], in session: Session) throws(DatabaseError) -> StaffSession? {
        try session.query(byToken, [.bytes(tokenHash)], decode: decode).first
    }

    /// Up to `limit` sessions of a person, whether or not they are over, the newest first.
    static func list(of staff: UInt64, limit: Int, in session: Session) throws(DatabaseError) -> [StaffSession] {
        try session.query(ofStaff, [.uint64(staff), Value(limit)], decode: decode)
    }

    /// Up to `limit` sessions that end after `instant`, the last to end first.
    static func list(
        endingAfter instant: Instant, limit: Int, in session: Session
    ) throws(DatabaseError) -> [StaffSession] {
        try session.query(open, [.int64(instant.milliseconds), Value(limit)], decode: decode)
    }

    private static func decode(_ row: Row) throws(DatabaseError) -> StaffSession {
        StaffSession(
            id: try row.uint64(0), member: try StaffRow.member(row, from: 4),
            createdAt: Instant(milliseconds: try row.int64(1)), seenAt: Instant(milliseconds: try row.int64(2)),
            endsAt: Instant(milliseconds: try row.int64(3)))
    }

    /// Inserts a session. Throws a duplicate-key error if there is one with this token.
    static func insert(
        of staff: UInt64, tokenHash: [UInt8], at now: Instant, until end: Instant, in session: Session
    ) throws(DatabaseError) {
        try session.execute(
            insert,
            [
                .uint64(staff), .bytes(tokenHash), .int64(now.milliseconds), .int64(now.milliseconds),
                .int64(end.milliseconds),
            ])
    }

    /// Writes the instant of a request.
    static func touch(_ id: UInt64, at now: Instant, in session: Session) throws(DatabaseError) {
        try session.execute(touch, [.int64(now.milliseconds), .uint64(id), .int64(now.milliseconds)])
    }

    /// Ends a session; true if it was there.
    static func end(_ id: UInt64, in session: Session) throws(DatabaseError) -> Bool {
        try session.execute(end, [.uint64(id)]) > 0
    }

    /// Ends a session of this person; true if it was there.
    static func end(_ id: UInt64, of staff: UInt64, in session: Session) throws(DatabaseError) -> Bool {
        try session.execute(endOne, [.uint64(id), .uint64(staff)]) > 0
    }

    /// Ends all sessions of a person but one, and returns their number.
    @discardableResult
    static func endOthers(than id: UInt64, of staff: UInt64, in session: Session) throws(DatabaseError) -> Int {
        Int(try session.execute(endOthers, [.uint64(staff), .uint64(id)]))
    }

    /// Ends all sessions of a person, and returns their number.
    @discardableResult
    static func endAll(of staff: UInt64, in session: Session) throws(DatabaseError) -> Int {
        Int(try session.execute(endAll, [.uint64(staff)]))
    }

    /// Deletes up to `limit` sessions that were over by `instant`, and returns their number.
    static func sweep(endedBy instant: Instant, limit: Int, in session: Session) throws(DatabaseError) -> Int {
        Int(try session.execute(sweep, [.int64(instant.milliseconds), Value(limit)]))
    }
}
