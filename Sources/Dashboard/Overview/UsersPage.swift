import EntitlementAPI
import Entitlements
import Hummingbird
import LedgerStore

/// `GET /dashboard/users`: users with what they have now, under filters.
enum UsersPage {
    private static let path = "users"

    /// The orders of the list.
    private enum Order: String, CaseIterable {
        case newest
        case end
    }

    /// The link to the users with a state, tier, source and environment.
    static func link(
        state: Status.State, tier: TierID?, source: Source?, environment: StoreEnvironment?
    ) -> Link {
        let fields = [
            ("state", state.rawValue), ("tier", tier?.text), ("source", source?.text),
            ("environment", environment?.rawValue),
        ]
        return Link(path, query: fields.compactMap { name, value in value.map { (name, $0) } })
    }

    /// The link to the users whose access ends in a stretch of time.
    static func link(from start: Instant, until end: Instant) -> Link {
        Link(
            path,
            query: [
                ("ends_after", RFC3339.text(of: start)), ("ends_before", RFC3339.text(of: end)),
                ("order", Order.end.rawValue),
            ])
    }

    /// - Throws: `unavailable`.
    static func show(_ visit: SignedVisit) async throws(Problem) -> Response {
        let cells = try await ListCells(visit)
        let (words, names) = (visit.words, cells.names)
        var filters = ListFilters(path, visit)
        let prefix = filters.user("q")
        let state: Status.State? = filters.choice("state", .columnState) { words.text($0.word) }
        let tiers = Set(names.catalogue.versions.flatMap(\.catalogue.tiers).map(\.id)).sorted()
        let tier = filters.choice("tier", .columnTier, among: tiers.map { ($0.text, names.tier($0)) })
        let source = filters.choice(
            "source", .columnFromSource,
            among: [Source.appleIAP, .stripe, .manual].map { ($0.text, names.source($0)) })
        let environment: StoreEnvironment? = filters.choice("environment", .filterEnvironment) {
            words.text($0 == .sandbox ? .sandbox : .production)
        }
        let filter = UserFilter(
            state: state, tier: tier.map { TierID($0) }, source: source.map { Source($0) }, environment: environment,
            endsAfter: filters.instant("ends_after", .filterEndsFrom),
            endsBefore: filters.instant("ends_before", .filterEndsTo, isEnd: true))
        let order = filters.choice("order", .filterOrder, orElse: Order.newest) {
            words.text($0 == .newest ? .orderNewest : .orderEnd)
        }
        let first = UserPlace.first(among: prefix, byEnd: order == .end, filter)
        let place = first.place(of: visit.query["from"]) ?? first
        let found = try await visit.served {
            try await $0.reports.users(filter, from: place, limit: ListView.rows)
        }
        let view = ListView(
            visit: visit, place: .users, text: .usersText, filters: filters,
            columns: [.columnCustomer, .columnState, .columnUntil, .columnFromSource, .columnFirstSeen],
            none: (.usersNone, .usersNoneHint))
        return view.page(found.users.map { row($0, cells) }, next: found.next.map { [("from", $0.cursor)] })
    }

    private static func row(_ listed: ListedUser, _ cells: ListCells) -> Markup {
        let words = cells.words
        return Shell.row {
            Shell.name(words, .columnCustomer) {
                cells.person(listed.user)
                Shell.sandbox(words, if: listed.environment)
            }
            Shell.cell(words, .columnState) {
                listed.state.hasAccess ? cells.names.tier(listed.tier) : words.text(listed.state.word)
                if listed.state == .grace { Tag.small(.class("warn")) { words.text(listed.state.word) } }
            }
            Shell.cell(words, .columnUntil) {
                words.cell(listed.expiresAt, orElse: listed.state.hasAccess ? .noEnd : .dash)
            }
            cells.source(listed.source, nil)
            cells.time(.columnFirstSeen, listed.firstSeenAt)
        }
    }
}
