import Entitlements
import MariaDB

/// A row of `lookups`.
enum LookupRow {
    /// The state of a look-up.
    enum State {
        case owed
        /// Answered, and claimed without a proof.
        case answered
        case proven
    }

    /// A look-up as a later receipt finds it.
    struct Known {
        let state: State
        let environment: StoreEnvironment?
        /// The Apple account to which the claim is bound; nil if Apple vouched for the receipt.
        let account: Label?
        let isFresh: Bool

        /// True if a receipt gives more than the one before: it is bound to another account, or to none, or is fresh.
        func isNamedAnew(by named: NamedPurchases, isProven: Bool) -> Bool {
            if let account, named.account == nil || (named.account == account && state == .owed) { return true }
            return (isProven || named.isFresh && !isFresh) && state == .answered
        }
    }

    private static let insert = SQLStatement(
        "add lookup",
        """
        INSERT INTO lookups (user_id, transaction_id, app, environment, account, is_fresh, asked_at)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        ON DUPLICATE KEY UPDATE app = VALUES(app), environment = VALUES(environment), account = VALUES(account),
            is_fresh = VALUES(is_fresh),
            asked_at = GREATEST(asked_at, VALUES(asked_at), COALESCE(answered_at + \(Lookups.pause), 0)),
            answered_at = NULL
        """)

    private static let reopen = SQLStatement(
        "reopen lookup",
        """
        UPDATE lookups SET environment = ?, account = ?, is_fresh = is_fresh OR ?, asked_at = ?, answered_at = NULL
        WHERE user_id = ? AND transaction_id = ?
        """)

    private static let known = SQLStatement(
        "find lookups",
        """
        SELECT transaction_id, answered_at IS NOT NULL, is_proven, environment, account, is_fresh FROM lookups
        WHERE user_id = ? AND (answered_at IS NULL OR answered_at > ?)
        """)

    private static let unknown = SQLStatement(
        "count unknown lookups",
        "SELECT COUNT(*) FROM lookups WHERE user_id = ? AND is_unknown AND asked_at >= ?")

    private static let unknownByName = SQLStatement(
        "count a user's unknown lookups",
        """
        SELECT COUNT(*) FROM users u STRAIGHT_JOIN lookups l ON l.user_id = u.pseudonym
        WHERE u.user_id = ? AND l.is_unknown AND l.asked_at >= ?
        """)

    private static let owed = SQLStatement(
        "find owed lookups",
        """
        SELECT l.transaction_id, l.app, u.user_id, l.asked_at, l.environment, l.account, l.is_fresh
        FROM lookups l LEFT JOIN users u ON u.pseudonym = l.user_id
        WHERE l.user_id = ? AND l.answered_at IS NULL AND l.asked_at <= ?
        ORDER BY l.asked_at, l.is_unknown, l.transaction_id LIMIT ?
        """)

    private static let firstOwed = SQLStatement(
        "find first owed lookup", "SELECT MIN(asked_at) FROM lookups WHERE user_id = ? AND answered_at IS NULL")

    private static let answer = SQLStatement(
        "answer lookup",
        """
        UPDATE lookups SET answered_at = ?, is_proven = ?, is_unknown = is_unknown OR ?
        WHERE user_id = ? AND transaction_id = ? AND asked_at = ? AND answered_at IS NULL
        """)

    private static let putOff = SQLStatement(
        "put off lookup",
        "UPDATE lookups SET asked_at = ? WHERE user_id = ? AND transaction_id = ? AND answered_at IS NULL")

    private static let move = SQLStatement(
        "move owed lookups", "UPDATE IGNORE lookups SET user_id = ? WHERE user_id = ? AND answered_at IS NULL")

    private static let forget = SQLStatement(
        "forget owed lookups", "DELETE FROM lookups WHERE user_id = ? AND answered_at IS NULL")

    /// A purchase that Apple does not know is kept for the day, on which it counts.
    private static let sweep = SQLStatement(
        "sweep lookups", "DELETE FROM lookups WHERE answered_at <= ? AND NOT (is_unknown AND asked_at >= ?)")

    private static let sweepOne = SQLStatement(
        "sweep lookups of one",
        "DELETE FROM lookups WHERE user_id = ? AND answered_at <= ? AND NOT (is_unknown AND asked_at >= ?)")

    /// Adds look-ups. Those that are there are owed anew, ten minutes after their answer at the earliest.
    static func insert(
        _ ids: [String], _ named: NamedPurchases, for person: UInt64, at now: Instant, in session: Session
    ) throws(DatabaseError) {
        try session.executeBulk(
            insert,
            ids.map { id in
                [
                    .uint64(person), .text(id), .text(named.app.text), Value(named.environment?.rawValue),
                    Value(named.account?.text), Value(named.isFresh), .int64(now.milliseconds),
                ]
            })
    }

    /// Makes look-ups owed at once as `named`, but never binds to an account what Apple vouched for.
    static func reopen(
        _ rows: [(id: String, known: Known)], as named: NamedPurchases, of person: UInt64, at now: Instant,
        in session: Session
    ) throws(DatabaseError) {
        try session.executeEach(
            reopen,
            rows.map { (id, known) in
                let isVouched = known.account == nil
                let (environment, account) =
                    isVouched ? (known.environment, nil) : (named.environment, named.account)
                return [
                    Value(environment?.rawValue), Value(account?.text), Value(named.isFresh),
                    .int64(now.milliseconds), .uint64(person), .text(id),
                ]
            })
    }

    /// The look-ups of a person that are owed, or were answered after `instant`.
    static func known(
        of person: UInt64, since instant: Instant, in session: Session
    ) throws(DatabaseError) -> [String: Known] {
        var states: [String: Known] = [:]
        for row in try session.query(known, [.uint64(person), .int64(instant.milliseconds)]) {
            let (isAnswered, isProven) = (try row.bool(1), try row.bool(2))
            states[try row.text(0)] = Known(
                state: isAnswered ? (isProven ? .proven : .answered) : .owed,
                environment: try row.optionalText(3).flatMap(StoreEnvironment.init(rawValue:)),
                account: try row.optionalText(4).map { Label($0) }, isFresh: try row.bool(5))
        }
        return states
    }

    /// The number of look-ups of a person since `instant` about which Apple said that it does not know them.
    static func unknown(to person: UInt64, since instant: Instant, in session: Session) throws(DatabaseError) -> Int {
        try session.query(unknown, [.uint64(person), .int64(instant.milliseconds)]).first?.int(0) ?? 0
    }

    /// The number of such look-ups of a user, who may never have been seen.
    static func unknown(to user: UserID, since instant: Instant, in session: Session) throws(DatabaseError) -> Int {
        try session.query(unknownByName, [.text(user.text), .int64(instant.milliseconds)]).first?.int(0) ?? 0
    }

    /// The first look-ups that are owed at `now`, the oldest first; nil if there are none.
    static func owed(to person: UInt64, at now: Instant, in session: Session) throws(DatabaseError) -> OwedLookups? {
        let rows = try session.query(
            owed, [.uint64(person), .int64(now.milliseconds), Value(Lookups.maximum)])
        guard let first = rows.first else { return nil }
        let user = try first.optionalText(2).flatMap { UserID($0) }
        guard user != nil || person == Lookups.nobody else { return nil }
        let numbers = try rows.map { (row) throws(DatabaseError) in
            OwedLookups.Number(
                id: try row.text(0), app: AppID(try row.text(1)),
                environment: try row.optionalText(4).flatMap(StoreEnvironment.init(rawValue:)),
                account: try row.optionalText(5).map { Label($0) }, isFresh: try row.bool(6),
                askedAt: Instant(milliseconds: try row.int64(3)))
        }
        return OwedLookups(
            user: user, numbers: numbers,
            unknownToday: try unknown(to: person, since: now.startOfDay, in: session))
    }

    /// The instant from which the first of all unanswered look-ups is owed; nil if there are none.
    static func firstOwed(to person: UInt64, in session: Session) throws(DatabaseError) -> Instant? {
        try session.query(firstOwed, [.uint64(person)]).first?.optionalInt64(0).map(Instant.init(milliseconds:))
    }

    /// Notes that Apple answered. What was named again after it was read stays owed.
    static func answer(
        _ numbers: [OwedLookups.Number], unknown: Set<String>, of person: UInt64, at now: Instant, isProven: Bool,
        in session: Session
    ) throws(DatabaseError) {
        try session.executeEach(
            answer,
            numbers.map { number in
                [
                    .int64(now.milliseconds), Value(isProven || number.account != nil),
                    Value(unknown.contains(number.id)), .uint64(person), .text(number.id),
                    .int64(number.askedAt.milliseconds),
                ]
            })
    }

    /// Puts off the look-ups of nobody that are owed still.
    static func putOff(
        _ numbers: [OwedLookups.Number], until instant: Instant, in session: Session
    ) throws(DatabaseError) {
        try session.executeEach(
            putOff, numbers.map { [.int64(instant.milliseconds), .uint64(Lookups.nobody), .text($0.id)] })
    }

    /// Hands the owed look-ups of a person to another, with the job. What Apple was asked for the other already stays
    /// as it is.
    static func move(
        from person: UInt64, to other: UInt64, at now: Instant, in session: Session
    ) throws(DatabaseError) {
        let moved = try session.execute(move, [.uint64(other), .uint64(person)])
        try session.execute(forget, [.uint64(person)])
        try JobRow.remove(.lookup, about: person, in: session)
        if moved > 0 { try JobRow.wake(.lookup, about: other, now: now, in: session) }
    }

    /// Deletes the look-ups of a person that keep nothing from being asked at `now`.
    static func sweep(at now: Instant, of person: UInt64, in session: Session) throws(DatabaseError) {
        try session.execute(sweepOne, [.uint64(person)] + bounds(at: now))
    }

    /// Deletes all look-ups that keep nothing from being asked at `now`.
    static func sweep(at now: Instant, in session: Session) throws(DatabaseError) {
        try session.execute(sweep, bounds(at: now))
    }

    private static func bounds(at now: Instant) -> [Value] {
        [.int64((now + -Lookups.pause).milliseconds), .int64(now.startOfDay.milliseconds)]
    }
}
