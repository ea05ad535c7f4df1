package import Entitlements
import MariaDB

/// A user in the list of users: what the user has now, as in the status.
package struct ListedUser: Hashable, Sendable {
    /// The user's pseudonym. A user who was first seen later has a larger one, if one node wrote both.
    package let id: UInt64
    package let user: UserID
    package let state: Status.State
    package let tier: TierID?
    package let tierRank: Int?
    /// The source, environment and product of the coverage that decides; nil if the user has had none yet.
    package let source: Source?
    package let environment: StoreEnvironment?
    package let productID: ProductID?
    package let expiresAt: Instant?
    package let accessExpiresAt: Instant?
    package let firstSeenAt: Instant
}

/// The conditions on the users in a list. A condition that is nil holds for everybody.
package struct UserFilter: Hashable, Sendable {
    package var state: Status.State?
    package var tier: TierID?
    package var source: Source?
    package var environment: StoreEnvironment?
    /// The first `expiresAt` that passes.
    package var endsAfter: Instant?
    /// The first `expiresAt` after `endsAfter` that does not pass.
    package var endsBefore: Instant?

    package init(
        state: Status.State? = nil, tier: TierID? = nil, source: Source? = nil, environment: StoreEnvironment? = nil,
        endsAfter: Instant? = nil, endsBefore: Instant? = nil
    ) {
        self.state = state
        self.tier = tier
        self.source = source
        self.environment = environment
        self.endsAfter = endsAfter
        self.endsBefore = endsBefore
    }
}

/// The first place of a page in a list of users, in one of the list's orders.
package enum UserPlace: Hashable, Sendable {
    /// A pseudonym, in the order of first sight, the newest first.
    case newest(UInt64)
    /// An end and a pseudonym, in the order of `expiresAt`. Users without an end are left out.
    case end(Instant, UInt64)
    /// A user id, in the order of user ids, among those that begin with the second one.
    case id(UserID, of: UserID)
}

extension OperatorReader {
    /// The most rows that a page of users looks at, however few of them pass the filter.
    package static let usersGoneOver = 20_000

    /// Up to `limit` users who pass `filter`, from `place` on, and the place of the next page; nil if the list is
    /// finished. A page of a filtered list looks at `rows` rows at most, so it may be short or empty although more
    /// users follow. Throws when the database is away.
    package func users(
        _ filter: UserFilter, from place: UserPlace, limit: Int, lookingAt rows: Int = usersGoneOver
    ) async throws(ServiceFailure) -> (users: [ListedUser], next: UserPlace?) {
        try await pool.ask { (session) throws(DatabaseError) in
            let (start, end) = (place.range, place.end(under: filter))
            var stop: UserPlace?
            if filter != UserFilter() || place.isByID {
                stop = try session.query(place.statements.stop, start + [end[0], Value(rows)]) {
                    (row) throws(DatabaseError) in try place.moved(to: row)
                }.first
            }
            let found = try session.query(
                place.statements.page, start + (stop?.range ?? end) + filter.values + [Value(limit + 1)],
                decode: ListedUser.init)
            let users = Array(found.prefix(limit))
            return (users, found.count > limit ? place.moved(to: found[limit]) : stop)
        }
    }
}

/// The statements of the list, one pair for each order: the page up to a place, and the place at which it stops if few
/// rows pass.
extension UserPlace {
    fileprivate typealias Statements = (page: SQLStatement, stop: SQLStatement)

    private static let columns = """
        s.user_id, u.user_id, s.state, s.tier, s.tier_rank, s.source, s.environment, s.product_id, s.ends_at,
            s.access_ends_at, u.created_at
        """

    private static let passes = """
        (? IS NULL OR s.state = ?) AND (? IS NULL OR s.tier = ?) AND (? IS NULL OR s.source = ?)
            AND (? IS NULL OR s.environment = ?) AND (? IS NULL OR s.ends_at >= ?) AND (? IS NULL OR s.ends_at < ?)
        """

    private static let newest = Statements(
        SQLStatement(
            "list newest users",
            """
            SELECT \(columns) FROM standings s FORCE INDEX (PRIMARY) STRAIGHT_JOIN users u ON u.pseudonym = s.user_id
            WHERE s.user_id <= ? AND s.user_id > ? AND u.user_id IS NOT NULL AND \(passes)
            ORDER BY s.user_id DESC LIMIT ?
            """),
        SQLStatement(
            "find stop of newest users",
            """
            SELECT user_id FROM standings FORCE INDEX (PRIMARY) WHERE user_id <= ? AND user_id > ?
            ORDER BY user_id DESC LIMIT 1 OFFSET ?
            """))

    private static let ending = Statements(
        SQLStatement(
            "list users by end",
            """
            SELECT \(columns) FROM standings s FORCE INDEX (by_end) STRAIGHT_JOIN users u ON u.pseudonym = s.user_id
            WHERE (s.ends_at = ? AND s.user_id >= ? OR s.ends_at > ?)
                AND (s.ends_at = ? AND s.user_id < ? OR s.ends_at < ?) AND u.user_id IS NOT NULL AND \(passes)
            ORDER BY s.ends_at, s.user_id LIMIT ?
            """),
        SQLStatement(
            "find stop of users by end",
            """
            SELECT ends_at, user_id FROM standings FORCE INDEX (by_end)
            WHERE (ends_at = ? AND user_id >= ? OR ends_at > ?) AND ends_at < ?
            ORDER BY ends_at, user_id LIMIT 1 OFFSET ?
            """))

    private static let named = Statements(
        SQLStatement(
            "list users by id",
            """
            SELECT \(columns) FROM users u FORCE INDEX (by_user_id) STRAIGHT_JOIN standings s ON s.user_id = u.pseudonym
            WHERE u.user_id >= ? AND u.user_id < ? AND \(passes)
            ORDER BY u.user_id LIMIT ?
            """),
        SQLStatement(
            "find stop of users by id",
            """
            SELECT user_id FROM users FORCE INDEX (by_user_id) WHERE user_id >= ? AND user_id < ?
            ORDER BY user_id LIMIT 1 OFFSET ?
            """))

    fileprivate var statements: Statements {
        switch self {
        case .newest: Self.newest
        case .end: Self.ending
        case .id: Self.named
        }
    }

    fileprivate var isByID: Bool {
        if case .id = self { true } else { false }
    }

    /// The values for a comparison with this place.
    fileprivate var range: [Value] {
        switch self {
        case .newest(let id): [.uint64(id)]
        case .end(let end, let id): [.int64(end.milliseconds), .uint64(id), .int64(end.milliseconds)]
        case .id(let user, of: _): [.text(user.text)]
        }
    }

    /// The values for a comparison with the place behind the last one of the list.
    fileprivate func end(under filter: UserFilter) -> [Value] {
        switch self {
        case .newest: return [.uint64(0)]
        case .end: return UserPlace.end(filter.endsBefore ?? Instant(milliseconds: .max), 0).range
        // No character of a user id is as high as DEL.
        case .id(_, of: let prefix): return [.text(prefix.text + "\u{7F}")]
        }
    }

    /// The place of a row of the statement that finds the stop.
    fileprivate func moved(to row: Row) throws(DatabaseError) -> UserPlace {
        switch self {
        case .newest: return .newest(try row.uint64(0))
        case .end: return .end(Instant(milliseconds: try row.int64(0)), try row.uint64(1))
        case .id(_, of: let prefix):
            guard let user = UserID(try row.text(0)) else { throw row.malformed(0) }
            return .id(user, of: prefix)
        }
    }

    fileprivate func moved(to listed: ListedUser) -> UserPlace {
        switch self {
        case .newest: .newest(listed.id)
        case .end: .end(listed.expiresAt ?? .distantPast, listed.id)
        case .id(_, of: let prefix): .id(listed.user, of: prefix)
        }
    }
}

extension UserFilter {
    /// The values of the conditions, each twice: for the question if there is one, and for the comparison.
    fileprivate var values: [Value] {
        let names = [state?.rawValue, tier?.text, source?.text, environment?.rawValue].map { Value($0) }
        let ends = [endsAfter, endsBefore].map { Value($0?.milliseconds) }
        return (names + ends).flatMap { [$0, $0] }
    }
}

extension ListedUser {
    fileprivate init(_ row: Row) throws(DatabaseError) {
        guard let user = UserID(try row.text(1)) else { throw row.malformed(1) }
        guard let state = Status.State(rawValue: try row.text(2)) else { throw row.malformed(2) }
        id = try row.uint64(0)
        self.user = user
        self.state = state
        tier = try row.optionalText(3).map { TierID($0) }
        tierRank = try row.optionalInt(4)
        source = try row.optionalText(5).map { Source($0) }
        environment = try row.optionalText(6).flatMap(StoreEnvironment.init)
        productID = try row.optionalText(7).map { ProductID($0) }
        expiresAt = try row.optionalInt64(8).map(Instant.init(milliseconds:))
        accessExpiresAt = try row.optionalInt64(9).map(Instant.init(milliseconds:))
        firstSeenAt = Instant(milliseconds: try row.int64(10))
    }
}
