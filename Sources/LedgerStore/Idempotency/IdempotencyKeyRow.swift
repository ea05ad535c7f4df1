import Entitlements
import MariaDB

/// A row of `idempotency_keys`: a request under a key, the claim of an attempt, and the first answer.
enum IdempotencyKeyRow {
    /// The content of a row.
    struct Stored {
        let digest: Label
        let claimant: UInt64
        let claimedUntil: Instant
        /// The first answer; nil while there is none.
        let answer: (status: Int, body: [UInt8])?
        let expiresAt: Instant
    }

    /// Inserts the row if there is none, and locks it until the transaction ends.
    private static let lockOne = SQLStatement(
        "claim request",
        """
        INSERT INTO idempotency_keys
            (owner, idempotency_key, request_digest, claimant, claimed_until, created_at, expires_at, subject,
             other_subject)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON DUPLICATE KEY UPDATE owner = owner
        RETURNING request_digest, claimant, claimed_until, status, body, expires_at
        """)

    private static let replace = SQLStatement(
        "take request over",
        """
        UPDATE idempotency_keys
        SET request_digest = ?, claimant = ?, claimed_until = ?, created_at = ?, expires_at = ?, subject = ?,
            other_subject = ?, status = NULL, body = NULL
        WHERE owner = ? AND idempotency_key = ?
        """)

    private static let finish = SQLStatement(
        "finish request",
        """
        UPDATE idempotency_keys SET status = ?, body = ?, expires_at = ?
        WHERE owner = ? AND idempotency_key = ? AND claimant = ? AND status IS NULL
        """)

    private static let holder = SQLStatement(
        "read claimant", "SELECT claimant FROM idempotency_keys WHERE owner = ? AND idempotency_key = ?")

    private static let release = SQLStatement(
        "release request",
        "DELETE FROM idempotency_keys WHERE owner = ? AND idempotency_key = ? AND claimant = ? AND status IS NULL")

    private static let sweep = SQLStatement(
        "sweep requests", "DELETE FROM idempotency_keys WHERE expires_at <= ? ORDER BY expires_at LIMIT ?")

    private static let forgetSubject = SQLStatement(
        "forget subject of request",
        """
        UPDATE idempotency_keys SET subject = NULL, other_subject = NULL
        WHERE owner = ? AND idempotency_key = ? AND claimant = ?
        """)

    private static let forgetBySubject = SQLStatement(
        "forget requests about", "DELETE FROM idempotency_keys WHERE subject IN (?, '\(anybody)')")

    private static let countAbout = SQLStatement(
        "count requests about",
        "SELECT COUNT(*) FROM idempotency_keys WHERE subject IN (?, '\(anybody)') OR other_subject = ?")

    private static let forgetByOtherSubject = SQLStatement(
        "forget requests about another", "DELETE FROM idempotency_keys WHERE other_subject = ?")

    /// The value of `subject` for a request that may be about any user; no label has this character.
    private static let anybody = "*"

    /// Locks the key's row and returns its content. If there is no row, inserts `fresh` and returns it.
    static func lock(
        _ fresh: Stored, about subject: IdempotencySubject, owner: String, key: Label, at now: Instant,
        in session: Session
    ) throws(DatabaseError) -> Stored {
        let rows = try session.query(
            lockOne,
            [
                .text(owner), .text(key.text), .text(fresh.digest.text), .uint64(fresh.claimant),
                .int64(fresh.claimedUntil.milliseconds), .int64(now.milliseconds),
                .int64(fresh.expiresAt.milliseconds),
            ] + values(of: subject))
        guard let row = rows.first else { throw DatabaseError(.unexpectedCell(column: 0), statement: lockOne.name) }
        let status = try row.optionalInt(3)
        let body = try row.optionalBytes(4)
        return Stored(
            digest: Label(try row.text(0)), claimant: try row.uint64(1),
            claimedUntil: Instant(milliseconds: try row.int64(2)), answer: status.map { ($0, body ?? []) },
            expiresAt: Instant(milliseconds: try row.int64(5)))
    }

    /// Replaces the content of the row by `fresh`, without an answer.
    static func replace(
        with fresh: Stored, about subject: IdempotencySubject, owner: String, key: Label, at now: Instant,
        in session: Session
    ) throws(DatabaseError) {
        try session.execute(
            replace,
            [
                .text(fresh.digest.text), .uint64(fresh.claimant), .int64(fresh.claimedUntil.milliseconds),
                .int64(now.milliseconds), .int64(fresh.expiresAt.milliseconds),
            ] + values(of: subject) + [.text(owner), .text(key.text)])
    }

    /// The values of the columns `subject` and `other_subject`.
    private static func values(of subject: IdempotencySubject) -> [Value] {
        switch subject {
        case .nobody: [.null, .null]
        case .user(let user, let other): [.text(user.text), Value(other?.text)]
        case .anybody: [.text(anybody), .null]
        }
    }

    /// Stores the answer of a claim. False if the claim was taken over or erased; true if the answer is stored now, or
    /// was before.
    static func finish(
        _ answer: RememberedAnswer, expiresAt: Instant, in session: Session
    ) throws(DatabaseError) -> Bool {
        let claim = answer.claim
        let finished = try session.execute(
            finish,
            [
                Value(answer.status), .bytes(answer.body), .int64(expiresAt.milliseconds), .text(claim.owner),
                .text(claim.key.text), .uint64(claim.claimant),
            ])
        guard finished == 0 else { return true }
        let row = try session.query(holder, [.text(claim.owner), .text(claim.key.text)]).first
        return try row?.uint64(0) == claim.claimant
    }

    /// Removes the row of a claim that has no answer and was not taken over.
    static func release(_ claim: IdempotencyClaim, in session: Session) throws(DatabaseError) {
        try session.execute(release, [.text(claim.owner), .text(claim.key.text), .uint64(claim.claimant)])
    }

    /// Removes up to `limit` expired rows, and returns how many were removed.
    static func sweep(at now: Instant, limit: Int, in session: Session) throws(DatabaseError) -> Int {
        Int(try session.execute(sweep, [.int64(now.milliseconds), Value(limit)]))
    }

    /// Removes all rows whose requests are about a person or may be about any user.
    static func forget(about user: Label, in session: Session) throws(DatabaseError) {
        for statement in [forgetBySubject, forgetByOtherSubject] { try session.execute(statement, [.text(user.text)]) }
    }

    /// The number of rows that ``forget(about:in:)`` would remove.
    static func count(about user: Label, in session: Session) throws(DatabaseError) -> Int {
        try session.query(countAbout, [.text(user.text), .text(user.text)]).first?.int(0) ?? 0
    }

    /// Clears the people in the row of a request that erases a person, so that the erasure does not delete this row.
    static func forgetSubject(of claim: IdempotencyClaim, in session: Session) throws(DatabaseError) {
        try session.execute(forgetSubject, [.text(claim.owner), .text(claim.key.text), .uint64(claim.claimant)])
    }
}
