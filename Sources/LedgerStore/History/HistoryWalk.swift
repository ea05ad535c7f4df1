package import Entitlements
import MariaDB

/// A walk through Apple's history of one Apple account in one app and environment, for one user (`semantics.md` §6).
package struct HistoryWalk: Hashable, Sendable {
    /// The user's purchase by whose original transaction id Apple is asked.
    package let purchase: PurchaseKey
    /// The Apple account that made it; nil if the purchase names none.
    package let account: Label?
    /// True if the user proved that this is their Apple account.
    package let isProven: Bool
    /// The place in the history that the walk has reached; nil at its start.
    package let revision: String?

    package init(through purchase: PurchaseKey, of account: Label?, isProven: Bool, after revision: String? = nil) {
        self.purchase = purchase
        self.account = account
        self.isProven = isProven
        self.revision = revision
    }

    /// The proof that the walk stands for; nil if the user proved no account.
    package var proof: AccountProof? {
        guard isProven, let account else { return nil }
        return AccountProof(of: account, in: purchase.app, purchase.environment)
    }
}

/// The walks that are owed to a user.
package struct OwedWalks: Sendable {
    package let user: UserID
    /// The labels of the account tokens that name the user.
    package let tokens: Set<Label>
    /// The instant at which the walks began. Rows of another instant belong to other walks.
    package let askedAt: Instant
    package let walks: [HistoryWalk]
}

/// A row of `history_walks`.
enum HistoryWalkRow {
    private static let insert = SQLStatement(
        "begin history walk",
        """
        INSERT INTO history_walks (user_id, app, environment, account, transaction_id, proven_at, asked_at)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """)

    private static let removeAll = SQLStatement(
        "remove history walks", "DELETE FROM history_walks WHERE user_id = ?")

    private static let last = SQLStatement(
        "find last history walk",
        """
        SELECT MAX(w.asked_at), COUNT(IF(w.answered_at IS NULL, 1, NULL))
        FROM users u STRAIGHT_JOIN history_walks w ON w.user_id = u.pseudonym WHERE u.user_id = ?
        """)

    /// The walks that are owed to a person who is there, through purchases that the person still has.
    private static let owed = SQLStatement(
        "find owed history walks",
        """
        SELECT u.user_id, w.app, w.environment, w.account, w.transaction_id, w.proven_at, w.revision, w.asked_at
        FROM history_walks w
        STRAIGHT_JOIN users u ON u.pseudonym = w.user_id
        STRAIGHT_JOIN purchases p ON p.external_id = w.transaction_id AND p.source = 'apple_iap' AND p.app = w.app
            AND p.environment = w.environment AND p.user_id = w.user_id
        WHERE w.user_id = ? AND w.answered_at IS NULL AND u.user_id IS NOT NULL
        ORDER BY w.app, w.environment, w.account
        """)

    private static let prove = SQLStatement(
        "prove history walk",
        "UPDATE history_walks SET proven_at = ? WHERE user_id = ? AND app = ? AND environment = ? AND account = ?")

    private static let move = SQLStatement(
        "move history walk",
        """
        UPDATE history_walks SET revision = ?, recovered = recovered + ?, answered_at = ?
        WHERE user_id = ? AND app = ? AND environment = ? AND account = ? AND asked_at = ? AND answered_at IS NULL
        """)

    private static let endAll = SQLStatement(
        "end all history walks",
        "UPDATE history_walks SET answered_at = ? WHERE user_id = ? AND answered_at IS NULL")

    private static let end = SQLStatement(
        "end history walks",
        "UPDATE history_walks SET answered_at = ? WHERE user_id = ? AND asked_at = ? AND answered_at IS NULL")

    private static let recovered = SQLStatement(
        "count what history recovered",
        "SELECT CAST(COALESCE(SUM(recovered), 0) AS UNSIGNED) FROM history_walks WHERE user_id = ? AND asked_at = ?")

    /// Writes walks in place of all earlier ones of the person.
    static func begin(
        _ walks: [HistoryWalk], of person: UInt64, at now: Instant, in session: Session
    ) throws(DatabaseError) {
        try session.execute(removeAll, [.uint64(person)])
        try session.executeBulk(
            insert,
            walks.map { walk in
                [
                    .uint64(person), .text(walk.purchase.app.text), .text(walk.purchase.environment.rawValue),
                    .text(name(of: walk)), .text(walk.purchase.externalID.text),
                    Value(walk.isProven ? now.milliseconds : nil),
                    .int64(now.milliseconds),
                ]
            })
    }

    /// The instant at which Apple was last asked about the user, and whether an answer is still owed; nil if Apple was
    /// never asked.
    static func last(
        of user: UserID, in session: Session
    ) throws(DatabaseError) -> (askedAt: Instant, isOwed: Bool)? {
        guard let row = try session.query(last, [.text(user.text)]).first, let askedAt = try row.optionalInt64(0)
        else { return nil }
        return (Instant(milliseconds: askedAt), try row.int(1) > 0)
    }

    /// The walks that are owed to a person; nil if there are none. Throws when the database is away.
    ///
    /// - Parameter start: The instant before which a proof is too old to count.
    static func owed(
        to person: UInt64, provenSince start: Instant, in session: Session
    ) throws(DatabaseError) -> OwedWalks? {
        let rows = try session.query(owed, [.uint64(person)]) { (row) throws(DatabaseError) in
            guard let user = UserID(try row.text(0)) else { throw row.malformed(0) }
            guard let environment = StoreEnvironment(rawValue: try row.text(2)) else { throw row.malformed(2) }
            let (account, transaction) = (try row.text(3), try row.text(4))
            let purchase = PurchaseKey(
                source: .appleIAP, app: AppID(try row.text(1)), environment: environment,
                externalID: ExternalID(transaction))
            let walk = HistoryWalk(
                through: purchase, of: account == transaction ? nil : Label(account),
                isProven: try row.optionalInt64(5).map { start.milliseconds < $0 } ?? false,
                after: try row.optionalText(6))
            return (user: user, askedAt: Instant(milliseconds: try row.int64(7)), walk: walk)
        }
        guard let first = rows.first else { return nil }
        let tokens = try AccountTokenRow.labels(of: person, in: session)
        return OwedWalks(
            user: first.user, tokens: Set(tokens), askedAt: first.askedAt, walks: rows.map(\.walk))
    }

    /// Notes that the person proved an Apple account. A walk through another account stays as it is.
    static func note(
        _ proof: AccountProof, of person: UInt64, at now: Instant, in session: Session
    ) throws(DatabaseError) {
        try session.execute(
            prove,
            [
                .int64(now.milliseconds), .uint64(person), .text(proof.app.text), .text(proof.environment.rawValue),
                .text(proof.account.text),
            ])
    }

    /// Notes the place that a walk has reached, and how many purchases it recovered since the last note. False if the
    /// walk is over, or others have begun.
    ///
    /// - Parameter answeredAt: The instant of the end; nil while the walk goes on.
    static func move(
        _ walk: HistoryWalk, of person: UInt64, askedAt: Instant, to revision: String?, recovering count: Int,
        answeredAt: Instant?, in session: Session
    ) throws(DatabaseError) -> Bool {
        try session.execute(
            move,
            [
                Value(revision), Value(count), Value(answeredAt?.milliseconds), .uint64(person),
                .text(walk.purchase.app.text), .text(walk.purchase.environment.rawValue), .text(name(of: walk)),
                .int64(askedAt.milliseconds),
            ]) > 0
    }

    /// Ends the walks that began at `askedAt`, also those whose purchase moved, and returns how many purchases they
    /// recovered.
    static func end(
        of person: UInt64, askedAt: Instant, at now: Instant, in session: Session
    ) throws(DatabaseError) -> Int {
        let parameters = [Value.uint64(person), .int64(askedAt.milliseconds)]
        try session.execute(end, [.int64(now.milliseconds)] + parameters)
        return try session.query(recovered, parameters).first?.int(0) ?? 0
    }

    /// Ends all walks of a person. Throws when the database is away.
    static func endAll(of person: UInt64, at now: Instant, in session: Session) throws(DatabaseError) {
        try session.execute(endAll, [.int64(now.milliseconds), .uint64(person)])
    }

    /// The value of the column `account`. A label is never an original transaction id, which is all digits.
    private static func name(of walk: HistoryWalk) -> String { walk.account?.text ?? walk.purchase.externalID.text }
}
