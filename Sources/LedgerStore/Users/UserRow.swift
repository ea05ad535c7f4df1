import Entitlements
import MariaDB

/// A row of `users`: a person, their pseudonym, and the head of their ledger.
enum UserRow {
    /// The head of a ledger: its length, and the recording instant and hash of its newest entry.
    struct Head {
        let pseudonym: UInt64
        let length: Int
        let lastRecordedAt: Instant
        let hash: [UInt8]

        /// The value that stands for the previous hash in the hash of the first entry.
        static let start = [UInt8](repeating: 0, count: 32)

        /// True if the ledger is heavy: so long that other requests should not wait until it is read and folded.
        var isHeavy: Bool { Self.isHeavy(length: length) }

        static func isHeavy(length: Int) -> Bool { length > maximumUsualLength }

        private static let maximumUsualLength = 4_096
    }

    /// A person whose row a transaction has locked, and the number of entries in their ledger.
    struct Person {
        let pseudonym: UInt64
        let user: UserID
        let length: Int
    }

    /// Locks the rows of users who have one, in the given order, until the transaction ends. A missing row locks
    /// nothing, because READ COMMITTED has no gap locks for reads. Written by: `touch users`.
    private static let lockKnown = SQLStatement(
        "lock known users",
        """
        SELECT j.n, u.pseudonym, u.ledger_length, u.last_recorded_at, u.head_hash
        FROM JSON_TABLE(?, '$[*]' COLUMNS (
            n FOR ORDINALITY, user_id VARCHAR(128) CHARACTER SET ascii COLLATE ascii_nopad_bin PATH '$')) j
        STRAIGHT_JOIN users u FORCE INDEX (by_user_id) ON u.user_id = j.user_id
        FOR UPDATE
        """)

    /// Inserts the row if there is none, and locks it by a change until the transaction ends. An erased person is named
    /// by pseudonym alone.
    private static let lockOne = SQLStatement(
        "lock user",
        """
        INSERT INTO users (pseudonym, user_id, legacy_token, created_at) VALUES (?, ?, ?, ?)
        ON DUPLICATE KEY UPDATE touched = NOT touched
        RETURNING pseudonym, ledger_length, last_recorded_at, head_hash, user_id
        """)

    /// Reads each user's pseudonym and ledger head, in the order of the given users. A user who was never seen has a
    /// row of NULLs, by a left join.
    static let headsByUser = SQLStatement(
        "read heads",
        """
        SELECT j.n, u.pseudonym, u.ledger_length, u.last_recorded_at, u.head_hash,
            (SELECT MAX(version) FROM catalog_versions)
        FROM JSON_TABLE(?, '$[*]' COLUMNS (
            n FOR ORDINALITY, user_id VARCHAR(128) CHARACTER SET ascii COLLATE ascii_nopad_bin PATH '$')) j
        LEFT JOIN users u ON u.user_id = j.user_id
        """)

    private static let headOfErased = SQLStatement(
        "read head of erased",
        """
        SELECT pseudonym, ledger_length, last_recorded_at, head_hash FROM users
        WHERE pseudonym = ? AND user_id IS NULL
        """)

    /// Updates heads. It never inserts, because the rows exist and are locked. Only an INSERT is sent in bulk.
    private static let moveHead = SQLStatement(
        "move head",
        """
        INSERT INTO users (pseudonym, created_at, ledger_length, last_recorded_at, head_hash) VALUES (?, 0, ?, ?, ?)
        ON DUPLICATE KEY UPDATE ledger_length = VALUES(ledger_length), last_recorded_at = VALUES(last_recorded_at),
            head_hash = VALUES(head_hash)
        """)

    private static let byUserID = SQLStatement("find user", "SELECT pseudonym FROM users WHERE user_id = ?")

    /// The pseudonym of `user`; nil if the user has no row, that is, was never seen.
    static func pseudonym(of user: UserID, in session: Session) throws(DatabaseError) -> UInt64? {
        try session.query(byUserID, [.text(user.text)]).first?.uint64(0)
    }

    /// True if the user has a row, that is, was ever seen.
    static func isKnown(_ user: UserID, in session: Session) throws(DatabaseError) -> Bool {
        try pseudonym(of: user, in: session) != nil
    }

    private static let lockIfKnown = SQLStatement(
        "lock user if known", "UPDATE users SET touched = NOT touched WHERE user_id = ?")

    /// Locks the row of `user` by a change and returns the pseudonym; nil for a user who was never seen. Throws when
    /// the database refuses the statement or is away.
    static func lock(known user: UserID, in session: Session) throws(DatabaseError) -> UInt64? {
        guard try session.execute(lockIfKnown, [.text(user.text)]) > 0 else { return nil }
        return try pseudonym(of: user, in: session)
    }

    private static let touch = SQLStatement(
        "touch users",
        """
        UPDATE \(JSONArray.ids) STRAIGHT_JOIN users u FORCE INDEX (PRIMARY) ON u.pseudonym = j.id
        SET u.touched = NOT u.touched
        """)

    /// Writes the locked rows of people of whom the transaction writes nothing else, so that no node of a Galera
    /// cluster commits a change to them beside it. Throws when the database refuses the statement or is away.
    static func touch(_ pseudonyms: [UInt64], in session: Session) throws(DatabaseError) {
        guard !pseudonyms.isEmpty else { return }
        try session.execute(touch, [.text(JSONArray(pseudonyms).closed)])
    }

    private static let addErased = SQLStatement(
        "add erased user", "INSERT INTO users (created_at) VALUES (?) RETURNING pseudonym")

    /// Inserts an erased person, who has no user id, and returns the pseudonym; nil only if the database returns no
    /// row. Throws when the database is away.
    static func addErased(at now: Instant, in session: Session) throws(DatabaseError) -> UInt64? {
        try session.query(addErased, [.int64(now.milliseconds)]).first?.uint64(0)
    }

    private static let erased = SQLStatement(
        "find erased user", "SELECT 1 FROM users WHERE pseudonym = ? AND user_id IS NULL")

    /// True if the person under `pseudonym` is erased. Throws when the database is away.
    static func isErased(_ pseudonym: UInt64, in session: Session) throws(DatabaseError) -> Bool {
        try session.query(erased, [.uint64(pseudonym)]).first != nil
    }

    /// Locks the next people. Written by: `touch users`.
    private static let lockNext = SQLStatement(
        "next people",
        """
        SELECT pseudonym, user_id, ledger_length FROM users WHERE pseudonym > ? AND ledger_length > 0
        ORDER BY pseudonym LIMIT ? FOR UPDATE
        """)

    /// Locks up to `limit` next people after `pseudonym` who have ledger entries, in ascending order. Throws when the
    /// database refuses the statement or is away.
    static func lockNext(
        after pseudonym: UInt64, limit: Int, in session: Session
    ) throws(DatabaseError) -> [Person] {
        bounded(try session.query(lockNext, [.uint64(pseudonym), Value(limit)], decode: person))
    }

    private static let next = SQLStatement(
        "read next people",
        """
        SELECT pseudonym, user_id, ledger_length FROM users WHERE pseudonym > ? AND ledger_length > 0
        ORDER BY pseudonym LIMIT ?
        """)

    /// The next `limit` people after `pseudonym` who have ledger entries, without a lock. Throws when the database is
    /// away.
    static func next(
        after pseudonym: UInt64, limit: Int, in session: Session
    ) throws(DatabaseError) -> [Person] {
        bounded(try session.query(next, [.uint64(pseudonym), Value(limit)], decode: person))
    }

    private static let last = SQLStatement("find last user", "SELECT MAX(pseudonym) FROM users")

    /// The largest pseudonym; 0 if there is none. Throws when the database is away.
    static func last(in session: Session) throws(DatabaseError) -> UInt64 {
        try session.query(last).first?.optionalUInt64(0) ?? 0
    }

    /// Locks people whom nobody else has locked. Written by: `touch users`.
    private static let lockFree = SQLStatement(
        "lock free people",
        """
        SELECT u.pseudonym, u.user_id, u.ledger_length FROM \(JSONArray.ids)
        STRAIGHT_JOIN users u ON u.pseudonym = j.id WHERE u.user_id IS NOT NULL FOR UPDATE SKIP LOCKED
        """)

    /// Locks the people under `pseudonyms` whom no other transaction has locked and who are not erased, as many as one
    /// transaction may read. Waits for nobody. Throws when the database is away.
    static func lockFree(_ pseudonyms: [UInt64], in session: Session) throws(DatabaseError) -> [Person] {
        bounded(try session.query(lockFree, [.text(JSONArray(pseudonyms).closed)], decode: person))
    }

    /// The number of entries from which on a transaction that reads whole ledgers reads no further one.
    private static let maximumEntries = 10_000

    /// The first of `people`, until their ledgers have `maximumEntries` together.
    private static func bounded(_ people: [Person]) -> [Person] {
        var entries = 0
        return Array(
            people.prefix { person in
                defer { entries += person.length }
                return entries < maximumEntries
            })
    }

    private static func person(_ row: Row) throws(DatabaseError) -> Person {
        Person(pseudonym: try row.uint64(0), user: try user(row, at: 1, pseudonym: 0), length: try row.int(2))
    }

    /// Locks the rows of `users` and of `holders`, whose pseudonyms are known: first the rows of known users, then
    /// those of new users and erased people, both in ascending order. Nil if one of them is no longer the same person,
    /// for example after an erasure.
    ///
    /// Known users are locked by a read, because an insert that finds a row is undone, and locks the gap before the row
    /// too. Whoever writes anything under these locks also calls ``touch(_:in:)``, unless it writes these rows.
    static func lock(
        _ users: Set<UserID>, holding holders: [UserID: UInt64] = [:], under labels: Labels, at now: Instant,
        in session: Session
    ) throws(DatabaseError) -> [UserID: Head]? {
        let all = users.union(holders.keys).sorted()
        var heads = try lockKnown(all.filter { !$0.isErased }, in: session)
        guard holders.allSatisfy({ $0.isErased || heads[$0]?.pseudonym == $1 }) else { return nil }
        let others = all.filter { heads[$0] == nil }
        let rows = try session.queryBulk(
            lockOne,
            others.map { user in
                guard !user.isErased else { return [Value(user.pseudonym), .null, .null, .int64(now.milliseconds)] }
                let legacyToken = AccountToken(legacyFormOf: user).map { labels.label(of: $0).text }
                return [.null, .text(user.text), Value(legacyToken), .int64(now.milliseconds)]
            })
        for (user, row) in zip(others, rows) {
            guard try self.user(row, at: 4, pseudonym: 0) == user else { return nil }
            heads[user] = try head(row)
        }
        return heads
    }

    /// The heads that `lock` would give, without a lock. A user without a row gets the head of an empty ledger, under a
    /// number that no row has.
    static func unlocked(
        _ users: Set<UserID>, holding holders: [UserID: UInt64], in session: Session
    ) throws(DatabaseError) -> [UserID: Head]? {
        let all = users.union(holders.keys).sorted()
        var heads = try heads(of: all, in: session).heads
        guard holders.allSatisfy({ heads[$0]?.pseudonym == $1 }) else { return nil }
        for (number, user) in all.filter({ heads[$0] == nil }).enumerated() {
            heads[user] = Head(
                pseudonym: .max - UInt64(number), length: 0, lastRecordedAt: Instant(milliseconds: 0), hash: Head.start)
        }
        return heads
    }

    private static func lockKnown(
        _ users: [UserID], in session: Session
    ) throws(DatabaseError) -> [UserID: Head] {
        guard !users.isEmpty else { return [:] }
        var heads: [UserID: Head] = [:]
        for row in try session.query(lockKnown, [.text(JSONArray(users.map(\.text)).closed)]) {
            heads[users[try row.int(0) - 1]] = try head(row, from: 1)
        }
        return heads
    }

    private static let remove = SQLStatement(
        "remove user",
        """
        DELETE FROM users WHERE pseudonym = ? AND created_at = ? AND ledger_length = 0
            AND NOT EXISTS (SELECT 1 FROM account_tokens a WHERE a.user_id = pseudonym)
            AND NOT EXISTS (SELECT 1 FROM lookups l WHERE l.user_id = pseudonym)
        """)

    /// Removes rows that `lock` inserted at `now` for people about whom nothing is stored after all. A transaction that
    /// waits for such a row inserts it again.
    static func remove(_ pseudonyms: [UInt64], madeAt now: Instant, in session: Session) throws(DatabaseError) {
        try session.executeEach(remove, pseudonyms.map { [.uint64($0), .int64(now.milliseconds)] })
    }

    /// The head in four columns from `first` on.
    private static func head(_ row: Row, from first: Int = 0) throws(DatabaseError) -> Head {
        Head(
            pseudonym: try row.uint64(first), length: try row.int(first + 1),
            lastRecordedAt: Instant(milliseconds: try row.int64(first + 2)), hash: try row.bytes(first + 3))
    }

    /// The person whose user id and pseudonym are in these columns; an erased person if the user id is NULL.
    static func user(_ row: Row, at column: Int, pseudonym: Int) throws(DatabaseError) -> UserID {
        guard let text = try row.optionalText(column) else { return .erased(pseudonym: try row.uint64(pseudonym)) }
        guard let user = UserID(text) else { throw row.malformed(column) }
        return user
    }

    /// The heads of the ledgers of those `users` who were ever seen, and the number of the newest catalogue. Read
    /// without a lock.
    static func heads(
        of users: [UserID], in session: Session
    ) throws(DatabaseError) -> (heads: [UserID: Head], catalogueVersion: Int) {
        var array = JSONArray()
        users.forEach { array.append($0.text) }
        var heads: [UserID: Head] = [:]
        var version = 0
        for row in try session.query(headsByUser, [.text(array.closed)]) {
            version = try row.optionalInt(5) ?? 0
            guard try !row.isNull(1) else { continue }
            heads[users[try row.int(0) - 1]] = try head(row, from: 1)
        }
        for user in users where user.isErased {
            guard let row = try session.query(headOfErased, [Value(user.pseudonym)]).first else { continue }
            heads[user] = try head(row)
        }
        return (heads, version)
    }

    /// Writes the new heads of ledgers.
    static func move(_ heads: [Head], in session: Session) throws(DatabaseError) {
        try session.executeBulk(
            moveHead,
            heads.map {
                [.uint64($0.pseudonym), Value($0.length), .int64($0.lastRecordedAt.milliseconds), .bytes($0.hash)]
            })
    }
}

extension AccountToken {
    /// The legacy token that names `user`; nil unless the user id is a 32-bit number in decimal.
    fileprivate init?(legacyFormOf user: UserID) {
        guard let number = UInt32(user.text), String(number) == user.text else { return nil }
        self.init(bytes: withUnsafeBytes(of: number.bigEndian, Array.init) + [UInt8](repeating: 0, count: 12))
    }
}
