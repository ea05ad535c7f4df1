import EntitlementAPI
import Entitlements
import Hummingbird
import LedgerStore

/// `GET /dashboard/overview`: users by what they have now and where it comes from, and by the day on which it ends.
enum OverviewPage {
    private static let sources: [Source] = [.appleIAP, .stripe, .manual]

    /// The numbers of the page.
    private struct Numbers {
        let summary: UserSummary
        let overdue: Int
    }

    /// A row of the table: users with one state and tier.
    private struct Line: Hashable {
        let state: Status.State
        let tier: TierID?
    }

    /// - Throws: `unavailable`.
    static func show(_ visit: SignedVisit) async throws(Problem) -> Response {
        let words = visit.words
        let numbers = try await visit.served { store in
            let summary = try await store.reports.userSummary(at: visit.now, days: SummaryRoute.days)
            return Numbers(
                summary: summary, overdue: try await store.standings.overdue(limit: StoreFigures.limit).count)
        }
        let names = Names(words: words, catalogue: try await visit.served { $0.catalogue.snapshot })
        let users = numbers.summary.groups.reduce(0) { $0 + $1.users }
        return visit.page(words.text(.overviewTitle), at: .overview) {
            Tag.div(.class("title")) {
                Tag.h1 { words.text(.overviewTitle) }
                Tag.p {
                    Tag.span(.class(numbers.overdue > 0 ? "warn" : "")) {
                        numbers.overdue > 0
                            ? words.text(.overviewOverdue, ["n": words.number(numbers.overdue)])
                            : words.text(.overviewCurrent)
                    }
                }
            }
            Shell.panel(
                "groups", words.text(.overviewUsers),
                aside: Tag.a(.href(Link("users"))) { words.count(users, .oneUser, .userCount) }
            ) {
                if users == 0 {
                    Shell.empty(words, .usersNone, .usersNoneHint)
                } else {
                    table(of: numbers.summary.groups, names)
                }
            }
            EndingFigure(summary: numbers.summary, words: words).markup
        }
    }

    private static func table(of groups: [UserSummary.Group], _ names: Names) -> Markup {
        let words = names.words
        return Tag.table(.role("table"), .class("numbers")) {
            Tag.thead(.role("rowgroup")) {
                Tag.tr(.role("row")) {
                    Tag.th(.scope("col"), .role("columnheader")) { words.text(.columnTier) }
                    for source in sources {
                        Tag.th(.scope("col"), .role("columnheader"), .class("amount")) { names.source(source) }
                    }
                    Tag.th(.scope("col"), .role("columnheader"), .class("amount")) { words.text(.columnAll) }
                }
            }
            rows(of: groups.filter { $0.environment != .sandbox }, in: nil, names)
            rows(of: groups.filter { $0.environment == .sandbox }, in: .sandbox, names)
        }
    }

    private static func rows(
        of groups: [UserSummary.Group], in environment: StoreEnvironment?, _ names: Names
    ) -> Markup {
        guard !groups.isEmpty else { return .nothing }
        let words = names.words
        var lines: [Line] = []
        for group in groups where !lines.contains(Line(state: group.state, tier: group.tier)) {
            lines.append(Line(state: group.state, tier: group.tier))
        }
        return Tag.tbody(.role("rowgroup")) {
            if environment == .sandbox {
                Tag.tr(.class("group"), .role("row")) {
                    Tag.th(.scope("rowgroup"), .colspan(sources.count + 2)) {
                        Shell.sandbox(words)
                        " " + words.text(.overviewSandbox)
                    }
                }
            }
            for line in lines {
                let groups = groups.filter { $0.state == line.state && $0.tier == line.tier }
                Shell.row {
                    Shell.name(words, .columnTier) {
                        line.state.hasAccess ? names.tier(line.tier) : words.text(line.state.word)
                        if line.state == .grace { Tag.small(.class("warn")) { words.text(line.state.word) } }
                    }
                    for source in sources {
                        number(of: groups.filter { $0.source == source }, line, source, environment, names)
                    }
                    number(of: groups, line, nil, environment, names)
                }
            }
        }
    }

    /// A cell whose number opens the list of these users.
    private static func number(
        of groups: [UserSummary.Group], _ line: Line, _ source: Source?, _ environment: StoreEnvironment?,
        _ names: Names
    ) -> Markup {
        let (words, users) = (names.words, groups.reduce(0) { $0 + $1.users })
        let column = source.map { names.source($0) } ?? words.text(.columnAll)
        // A person who never had anything has no environment, so none may be asked for.
        let known = Set(groups.compactMap(\.environment)).count == 1 ? groups.first?.environment : environment
        return Tag.td(.role("cell"), .label(column), .class("amount")) {
            if users == 0 {
                Tag.span(.class("muted")) { "0" }
            } else {
                Tag.a(
                    .href(
                        UsersPage.link(
                            state: line.state, tier: line.state.hasAccess ? line.tier : nil, source: source,
                            environment: known))
                ) { words.number(users) }
            }
        }
    }
}

/// The numbers of users whose access ends on each of the next days: bars, and the same as a table.
struct EndingFigure {
    private static let height = 120
    /// The height of the tallest bar, below which its number stands.
    private static let tallest = 88
    private static let base = 104

    let summary: UserSummary
    let words: Words

    var markup: Markup {
        let sum = summary.ending.reduce(0, +)
        return Shell.panel(
            "ending", words.text(.endingTitle), aside: Markup(words.count(sum, .oneUser, .userCount))
        ) {
            if sum == 0 {
                Shell.empty(words, .endingNone, .endingNoneHint)
            } else {
                Tag.figure(.class("ending"), .labelled(by: "ending")) {
                    picture
                    Tag.figcaption(.class("unseen")) {
                        words.text(.endingSentence, ["n": words.number(sum), "days": String(summary.ending.count)])
                    }
                }
                table
            }
        }
    }

    private func day(_ offset: Int) -> Instant { summary.firstDay + Int64(offset) * Instant.millisecondsPerDay }

    private func name(_ offset: Int) -> String {
        Words(words.language, in: .utc, now: words.now).shortDate(day(offset))
    }

    private var picture: Markup {
        let most = max(1, summary.ending.max() ?? 1)
        let step = LaneScale.whole / max(1, summary.ending.count)
        return Tag.svg(
            .width(.percent(thousandths: LaneScale.whole)), .height(.px(Self.height)), .hidden, .noFocus
        ) {
            for (offset, users) in summary.ending.enumerated() {
                let height = users == 0 ? 0 : max(3, users * Self.tallest / most)
                if users > 0 {
                    Tag.rect(
                        .class("ending-bar"), .x(.percent(thousandths: offset * step + step / 8)),
                        .y(.px(Self.base - height)), .width(.percent(thousandths: step * 3 / 4)), .height(.px(height)),
                        .rx(.px(2)))
                    Tag.text(
                        .class("tick w605"), .x(.percent(thousandths: offset * step + step / 2)),
                        .y(.px(Self.base - height - 4)), .anchor("middle")
                    ) { words.number(users) }
                }
                if offset % 7 == 0 {
                    Tag.text(
                        .class("tick"), .x(.percent(thousandths: offset * step + step / 8)), .y(.px(Self.height - 2))
                    ) { name(offset) }
                }
            }
            Tag.line(
                .class("month"), .x1(.px(0)), .x2(.percent(thousandths: LaneScale.whole)), .y1(.px(Self.base)),
                .y2(.px(Self.base)))
        }
    }

    private var table: Markup {
        Tag.details(.class("as-table")) {
            Tag.summary { words.text(.endingTable, ["n": String(summary.ending.count)]) }
            Tag.table(.role("table")) {
                Shell.head(words, [.columnDay, .columnUsers])
                Tag.tbody(.role("rowgroup")) {
                    for (offset, users) in summary.ending.enumerated() {
                        Shell.row {
                            Shell.name(words, .columnDay) { name(offset) }
                            Shell.cell(words, .columnUsers, "amount") {
                                if users == 0 {
                                    Tag.span(.class("muted")) { "0" }
                                } else {
                                    Tag.a(
                                        .href(
                                            UsersPage.link(
                                                from: max(day(offset), words.now), until: day(offset + 1)))
                                    ) { words.number(users) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

extension Status.State {
    var hasAccess: Bool { self == .active || self == .grace }

    var word: Phrase {
        switch self {
        case .active: .userActive
        case .grace: .userGrace
        case .expired: .userExpired
        case .none: .userNever
        }
    }
}
