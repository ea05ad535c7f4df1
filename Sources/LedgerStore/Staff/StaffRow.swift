import Entitlements
import MariaDB

/// A row of `staff`: a person, with the hashes of the password and of a link that sets a new one.
enum StaffRow {
    /// The columns of a person, for `member(_:from:)`.
    static let columns =
        "s.id, s.name, s.role, s.language, s.zone, s.theme, s.created_at, s.disabled_at, s.password IS NOT NULL"

    private static let byName = SQLStatement(
        "find staff", "SELECT \(columns), s.password FROM staff s WHERE s.name = ?")

    private static let touch = SQLStatement("lock staff", "UPDATE staff SET touched = NOT touched WHERE id = ?")

    private static let byID = SQLStatement(
        "read staff", "SELECT \(columns), s.password FROM staff s WHERE s.id = ?")

    private static let byLink = SQLStatement(
        "find staff by link", "SELECT \(columns) FROM staff s WHERE s.link_hash = ? AND s.link_ends_at > ?")

    private static let all = SQLStatement("list staff", "SELECT \(columns) FROM staff s ORDER BY s.id LIMIT ?")

    private static let named = SQLStatement(
        "read names of staff", "SELECT s.id, s.name FROM \(JSONArray.ids) STRAIGHT_JOIN staff s ON s.id = j.id")

    private static let insert = SQLStatement(
        "insert staff",
        """
        INSERT IGNORE INTO staff (name, role, language, zone, theme, created_at, link_hash, link_ends_at)
        VALUES (?, ?, 'en', 'UTC', 'system', ?, ?, ?)
        """)

    private static let link = SQLStatement(
        "link staff",
        """
        UPDATE staff SET password = NULL, disabled_at = NULL, link_hash = ?, link_ends_at = ? WHERE id = ?
        """)

    private static let disable = SQLStatement(
        "disable staff",
        """
        UPDATE staff SET disabled_at = ?, link_hash = NULL, link_ends_at = NULL WHERE id = ? AND disabled_at IS NULL
        """)

    private static let changeRole = SQLStatement(
        "change role of staff", "UPDATE staff SET role = ? WHERE id = ? AND role <> ?")

    private static let setPassword = SQLStatement(
        "set password of staff",
        """
        UPDATE staff SET password = ?, link_hash = NULL, link_ends_at = NULL
        WHERE link_hash = ? AND link_ends_at > ? AND disabled_at IS NULL
        """)

    private static let replacePassword = SQLStatement(
        "replace password of staff", "UPDATE staff SET password = ?, link_hash = NULL, link_ends_at = NULL WHERE id = ?"
    )

    private static let setPreferences = SQLStatement(
        "set preferences of staff", "UPDATE staff SET language = ?, zone = ?, theme = ? WHERE id = ?")

    private static let slow = SQLStatement(
        "note slowed staff",
        "UPDATE staff SET slowed_at = ? WHERE name = ? AND (slowed_at IS NULL OR slowed_at <= ?)")

    /// The person with this name, and the hash of the password.
    static func find(
        _ name: String, in session: Session
    ) throws(DatabaseError) -> (member: StaffMember, password: String?)? {
        guard let row = try session.query(byName, [.text(name)]).first else { return nil }
        return (try member(row), try row.optionalText(9))
    }

    /// The person with this number, locked by a change until the transaction ends, and the hash of the password.
    static func lock(
        _ id: UInt64, in session: Session
    ) throws(DatabaseError) -> (member: StaffMember, password: String?)? {
        try session.execute(touch, [.uint64(id)])
        guard let row = try session.query(byID, [.uint64(id)]).first else { return nil }
        return (try member(row), try row.optionalText(9))
    }

    /// The person whom a link lets in at `now`.
    static func find(link hash: [UInt8], at now: Instant, in session: Session) throws(DatabaseError) -> StaffMember? {
        guard let row = try session.query(byLink, [.bytes(hash), .int64(now.milliseconds)]).first else { return nil }
        return try member(row)
    }

    /// Up to `limit` people, in the order of their numbers.
    static func list(limit: Int, in session: Session) throws(DatabaseError) -> [StaffMember] {
        try session.query(all, [Value(limit)]) { (row) throws(DatabaseError) in try member(row) }
    }

    /// The names of people by their numbers.
    static func names(_ ids: some Sequence<UInt64>, in session: Session) throws(DatabaseError) -> [UInt64: String] {
        var names: [UInt64: String] = [:]
        for row in try session.query(named, [.text(JSONArray(Set(ids).sorted()).closed)]) {
            names[try row.uint64(0)] = try row.text(1)
        }
        return names
    }

    /// Inserts a person; false if the name is taken.
    static func insert(
        _ request: StaffRequest, link hash: [UInt8], until end: Instant, at now: Instant, in session: Session
    ) throws(DatabaseError) -> Bool {
        try session.execute(
            insert,
            [
                .text(request.name), .text(request.role.rawValue), .int64(now.milliseconds), .bytes(hash),
                .int64(end.milliseconds),
            ]) > 0
    }

    /// Takes the password away and writes a link that sets a new one.
    static func link(
        _ id: UInt64, hash: [UInt8], until end: Instant, in session: Session
    ) throws(DatabaseError) {
        try session.execute(link, [.bytes(hash), .int64(end.milliseconds), .uint64(id)])
    }

    /// Disables a person; true if they were not disabled yet.
    static func disable(_ id: UInt64, at now: Instant, in session: Session) throws(DatabaseError) -> Bool {
        try session.execute(disable, [.int64(now.milliseconds), .uint64(id)]) > 0
    }

    /// Writes a person's role; true if it was another one.
    static func change(_ id: UInt64, to role: StaffRole, in session: Session) throws(DatabaseError) -> Bool {
        try session.execute(changeRole, [.text(role.rawValue), .uint64(id), .text(role.rawValue)]) > 0
    }

    /// Sets the password of the person whom the link lets in; false if it lets nobody in any more.
    static func set(
        password: String, link hash: [UInt8], at now: Instant, in session: Session
    ) throws(DatabaseError) -> Bool {
        try session.execute(setPassword, [.text(password), .bytes(hash), .int64(now.milliseconds)]) > 0
    }

    /// Replaces the password of a person, and takes back a link that was made meanwhile.
    static func replace(password: String, of id: UInt64, in session: Session) throws(DatabaseError) {
        try session.execute(replacePassword, [.text(password), .uint64(id)])
    }

    /// Sets how the pages look to a person.
    static func set(_ preferences: StaffPreferences, of id: UInt64, in session: Session) throws(DatabaseError) {
        try session.execute(
            setPreferences,
            [
                .text(preferences.language), .text(preferences.zone), .text(preferences.theme.rawValue), .uint64(id),
            ])
    }

    /// Notes that a try at the account had to wait; true if none had since `limit`.
    static func noteSlowed(
        _ name: String, at now: Instant, ifNotSince limit: Instant, in session: Session
    ) throws(DatabaseError) -> Bool {
        try session.execute(slow, [.int64(now.milliseconds), .text(name), .int64(limit.milliseconds)]) > 0
    }

    /// Decodes a person from the columns of a row, the first of them at `column`.
    static func member(_ row: Row, from column: Int = 0) throws(DatabaseError) -> StaffMember {
        guard let role = StaffRole(rawValue: try row.text(column + 2)) else { throw row.malformed(column + 2) }
        return StaffMember(
            id: try row.uint64(column), name: try row.text(column + 1), role: role,
            language: try row.text(column + 3), zone: try row.text(column + 4),
            theme: StaffTheme(rawValue: try row.text(column + 5)) ?? .system,
            createdAt: Instant(milliseconds: try row.int64(column + 6)),
            disabledAt: try row.optionalInt64(column + 7).map(Instant.init(milliseconds:)),
            hasPassword: try row.bool(column + 8))
    }
}
