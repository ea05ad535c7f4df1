package import Entitlements
package import MariaDB

/// The chains of the App Store whose period ended without a word. Apple is asked about each after the end, and again
/// after the leeway (`semantics.md` §6).
package struct Chains: Sendable {
    /// The most jobs about chains at a time. The others wait in `chains`, however many end at once.
    static let maximumJobs = 100

    private let pool: Pool
    private let leeway: Int64
    private let now: @Sendable () -> Instant
    private let realNow: @Sendable () -> Instant

    /// - Parameters:
    ///   - leewayHours: The hours after the end of a period in which its renewal may still be published.
    ///   - now: The clock that dates facts; a test may move it.
    ///   - realNow: Real time, which decides when jobs are due.
    package init(
        pool: Pool, leewayHours: Int, now: @escaping @Sendable () -> Instant,
        realNow: @escaping @Sendable () -> Instant
    ) {
        self.pool = pool
        leeway = Int64(leewayHours) * Instant.millisecondsPerHour
        self.now = now
        self.realNow = realNow
    }

    /// Makes jobs for chains that are to be asked about, and returns how many. Of several instances at once, one makes
    /// the job of a chain. Throws when the database is away.
    package func makeJobs() async throws(ServiceFailure) -> Int {
        let (now, realNow) = (now(), realNow())
        return try await pool.commit { (session) throws(DatabaseError) in
            let places = Self.maximumJobs - (try JobRow.count(.chain, upTo: Self.maximumJobs, in: session))
            guard places > 0 else { return 0 }
            let due = try ChainRow.take(places, dueAt: now, leeway: leeway, in: session)
            for purchase in due {
                try JobRow.revive(.chain, about: purchase, dueAt: realNow, now: realNow, in: session)
            }
            return due.count
        }
    }

    /// The key of the chain whose purchase has the row `purchase`; nil if nobody has it, or a person who was erased, or
    /// if its newest period runs. Throws when the database is away.
    package func ended(_ purchase: UInt64) async throws(ServiceFailure) -> PurchaseKey? {
        let now = now()
        return try await pool.ask { (session) throws(DatabaseError) in
            try ChainRow.ended(purchase, at: now, in: session)
        }
    }
}

/// A row of `chains`: when the newest period of a chain ends, and whether Apple is to be asked what follows.
struct ChainRow: Hashable {
    let purchase: UInt64
    let endsAt: Instant
    /// True if nothing says what follows the end.
    let isUntold: Bool
    /// True if grace is told without its end, so that Apple is asked at once.
    let isGraceUndated: Bool

    /// Writes what is known now. What was asked about an end stays; a later end is asked about anew. So is an end of
    /// which something was told that holds no longer, if nothing was asked. One in grace without an end, whose `due_at`
    /// is 0, is asked about at once, unless everything was asked.
    private static let upsert = SQLStatement(
        "write chain",
        """
        INSERT INTO chains (purchase_id, ends_at, due_at) VALUES (?, ?, ?)
        ON DUPLICATE KEY UPDATE
            due_at = IF(VALUES(due_at) IS NULL OR ends_at <> VALUES(ends_at)
                OR asked = 0 AND due_at IS NULL OR asked < 2 AND VALUES(due_at) = 0, VALUES(due_at), due_at),
            asked = IF(ends_at = VALUES(ends_at), asked, 0), ends_at = VALUES(ends_at)
        """)

    /// Locks chains that are due and that nobody else has locked. Written by: `postpone chain`.
    private static let due = SQLStatement(
        "find due chains",
        """
        SELECT purchase_id, ends_at, asked FROM chains FORCE INDEX (by_due)
        WHERE due_at <= ? ORDER BY due_at LIMIT ? FOR UPDATE SKIP LOCKED
        """)

    private static let postpone = SQLStatement(
        "postpone chain", "UPDATE chains SET due_at = ?, asked = asked + 1 WHERE purchase_id = ?")

    private static let ended = SQLStatement(
        "find ended chain",
        """
        SELECT \(PurchaseRow.columns)
        FROM chains c STRAIGHT_JOIN purchases p ON p.id = c.purchase_id
        STRAIGHT_JOIN users u ON u.pseudonym = p.user_id
        WHERE c.purchase_id = ? AND c.ends_at <= ? AND u.user_id IS NOT NULL
        """)

    /// Writes rows in the order of their key. Throws when the database refuses the statement or is away.
    static func write(_ rows: [ChainRow], in session: Session) throws(DatabaseError) {
        guard !rows.isEmpty else { return }
        try session.executeBulk(
            upsert,
            rows.sorted { $0.purchase < $1.purchase }.map { row in
                let end = row.endsAt.milliseconds
                let due = row.isGraceUndated ? 0 : end
                return [.uint64(row.purchase), .int64(end), Value(row.isUntold ? due : nil)]
            })
    }

    /// Takes up to `limit` chains that are to be asked about at `now`, and returns the ids of their purchases. After
    /// the first question a chain is due again after the leeway, unless that is over already. Throws when the database
    /// is away.
    static func take(
        _ limit: Int, dueAt now: Instant, leeway: Int64, in session: Session
    ) throws(DatabaseError) -> [UInt64] {
        let rows = try session.query(due, [.int64(now.milliseconds), Value(limit)]) { (row) throws(DatabaseError) in
            (purchase: try row.uint64(0), endsAt: Instant(milliseconds: try row.int64(1)), asked: try row.int(2))
        }
        try session.executeEach(
            postpone,
            rows.map { row in
                let last = row.endsAt + leeway
                return [Value(row.asked == 0 && now < last ? last.milliseconds : nil), .uint64(row.purchase)]
            })
        return rows.map(\.purchase)
    }

    /// The key of a chain that somebody has and whose newest period is over; nil otherwise. Throws when the database is
    /// away.
    static func ended(
        _ purchase: UInt64, at now: Instant, in session: Session
    ) throws(DatabaseError) -> PurchaseKey? {
        guard let row = try session.query(ended, [.uint64(purchase), .int64(now.milliseconds)]).first else {
            return nil
        }
        return try PurchaseRow.key(row, from: 0)
    }
}
