package import Entitlements
import Hummingbird
package import LedgerStore

/// `GET /api/admin/users`: users with what they have now, newest first, by the end of it, or by user id.
enum UsersRoute {
    /// The parameters beside those of a page.
    static let parameters = [
        "state", "tier", "source", "environment", "ends_after", "ends_before", "q", "order",
    ]

    /// The orders that a query can ask for; the raw values are those of the API.
    private enum Order: String, CaseIterable {
        case newest
        case end
    }

    /// - Throws: `invalid_request` for a malformed filter, order, limit or cursor, `unavailable`.
    static func respond(to call: ServerCall) async throws(Problem) -> Response {
        let query = try Query(call.request.uri.query)
        let limit = try PageRequest.limit(in: query)
        let filter = try UserFilter(query, given: call.api.catalogue)
        let first = try firstPlace(query, filter)
        let place = try query.cursor { first.place(of: $0) } ?? first
        let (page, overdue) = try await call.served { store in
            let page = try await store.reports.users(filter, from: place, limit: limit)
            let overdue = try await store.standings.overdue(limit: StoreFigures.limit)
            return (page, overdue)
        }
        return .json(
            JSONWriter.object { json in
                json.member("data", objects: page.users) { $0.members(of: $1) }
                json.member("next_cursor", page.next?.cursor)
                json.member("overdue", overdue.count)
            })
    }

    /// The place of the first page in the order that the query asks for.
    ///
    /// - Throws: `invalid_request` for a malformed order or beginning of a user id, or for both at once.
    private static func firstPlace(_ query: Query, _ filter: UserFilter) throws(Problem) -> UserPlace {
        let order: Order? = try query.choice("order")
        if let prefix = try query.user("q") {
            guard order == nil else {
                throw .invalidRequest("With q, the list is in the order of user ids.", at: "?order")
            }
            return .first(among: prefix, byEnd: false, filter)
        }
        return .first(among: nil, byEnd: order == .end, filter)
    }
}

extension UserFilter {
    /// - Throws: `invalid_request` for a malformed parameter, or one whose value nothing can have.
    fileprivate init(_ query: Query, given catalogue: CatalogueVersions) throws(Problem) {
        let tiers = Set(catalogue.versions.flatMap(\.catalogue.tiers).map(\.id)).sorted()
        self.init(
            state: try query.choice("state"), tier: try query.name("tier", among: tiers),
            source: try query.name("source", among: [.appleIAP, .stripe, .manual]),
            environment: try query.choice("environment"), endsAfter: try query.instant("ends_after"),
            endsBefore: try query.instant("ends_before"))
        if let endsAfter, let endsBefore, endsBefore <= endsAfter {
            throw .invalidRequest("The parameter must be later than ends_after.", at: "?ends_before")
        }
    }
}

/// The first places of the list, and its cursors, one form for each order.
extension UserPlace {
    /// The place of the first page: by user id among those that begin with `prefix`, by the end of what they have, or
    /// the newest first.
    package static func first(among prefix: UserID?, byEnd: Bool, _ filter: UserFilter) -> UserPlace {
        if let prefix { return .id(prefix, of: prefix) }
        return byEnd ? .end(filter.endsAfter ?? Instant(milliseconds: .min), 0) : .newest(.max)
    }

    private static let newest = "users"
    private static let ending = "users by end"
    private static let named = "users by id"

    package var cursor: String {
        switch self {
        case .newest(let id): CursorText.encode(Self.newest, [String(id)])
        case .end(let end, let id): CursorText.encode(Self.ending, [String(end.milliseconds), String(id)])
        case .id(let user, of: _): CursorText.encode(Self.named, [user.text])
        }
    }

    /// The place in the list of `self` that a cursor stands for; nil for any other text.
    package func place(of cursor: String) -> UserPlace? {
        let place: UserPlace?
        switch self {
        case .newest: place = PageRequest.number(in: cursor, of: Self.newest).map { .newest($0) }
        case .end:
            let parts = CursorText.decode(cursor, of: Self.ending, parts: 2)
            let end = parts.flatMap { Int64($0[0]) }.map(Instant.init(milliseconds:))
            let id = parts.flatMap { UInt64($0[1]) }
            place = end.flatMap { end in id.map { .end(end, $0) } }
        case .id(_, of: let prefix):
            let user = CursorText.decode(cursor, of: Self.named, parts: 1).flatMap { UserID($0[0]) }
            place = user.flatMap { $0.text.utf8.starts(with: prefix.text.utf8) ? .id($0, of: prefix) : nil }
        }
        return place?.cursor == cursor ? place : nil
    }
}

extension JSONWriter {
    fileprivate mutating func members(of listed: ListedUser) {
        member("user_id", listed.user.text)
        member("state", listed.state.rawValue)
        member("tier", listed.tier?.text)
        member("tier_rank", listed.tierRank)
        member("source", listed.source?.text)
        member("product_id", listed.productID?.text)
        member("environment", listed.environment?.rawValue)
        member("expires_at", exactly: "expires_at_ms", listed.expiresAt)
        member("access_expires_at", exactly: "access_expires_at_ms", listed.accessExpiresAt)
        member("first_seen_at", exactly: "first_seen_at_ms", listed.firstSeenAt)
    }
}
