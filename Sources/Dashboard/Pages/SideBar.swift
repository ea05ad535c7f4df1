import LedgerStore

/// A page that the side bar leads to.
enum Destination: CaseIterable {
    case start, overview, users
    case parked, dead, anomalies, late, conflicts
    case deliveries, refunds, testers, reconciliations, compensations, catalogue
    case keys, staff, audit

    var link: Link {
        switch self {
        case .start: Link()
        case .overview: Link("overview")
        case .users: Link("users")
        case .parked: Link("deliveries", query: [("state", "parked")])
        case .dead: Link("jobs")
        case .anomalies: Link("anomalies")
        case .late: Link("late-passes")
        case .conflicts: Link("conflicts")
        case .deliveries: Link("deliveries")
        case .refunds: Link("refund-questions")
        case .testers: Link("testers")
        case .reconciliations: Link("reconciliations")
        case .compensations: Link("compensations")
        case .catalogue: Link("catalogue")
        case .keys: Link("api-keys")
        case .staff: Link("staff")
        case .audit: Link("audit")
        }
    }

    var title: Phrase {
        switch self {
        case .start: .navStart
        case .overview: .overviewTitle
        case .users: .usersTitle
        case .parked: .workParked
        case .dead: .workDead
        case .anomalies: .workAnomalies
        case .late: .workLate
        case .conflicts: .workConflicts
        case .deliveries: .deliveriesListTitle
        case .refunds: .refundsTitle
        case .testers: .testersTitle
        case .reconciliations: .reconciliationsTitle
        case .compensations: .compensationsTitle
        case .catalogue: .catalogueTitle
        case .keys: .keysTitle
        case .staff: .staffTitle
        case .audit: .auditTitle
        }
    }

    /// The right without which the page does not open: that of the API route beside it.
    var scope: APIKeyScope {
        switch self {
        case .start, .overview, .users, .parked, .dead, .anomalies, .late, .conflicts, .deliveries, .refunds, .testers,
            .reconciliations, .catalogue:
            .read
        case .compensations: .write
        case .keys, .staff: .admin
        case .audit: .audit
        }
    }

    /// The work that waits in the list behind this page; nil for a page that is no work list.
    func waiting(in counts: WorkCounts?) -> WorkCounts.Count? {
        switch self {
        case .parked: counts?.parked
        case .dead: counts?.dead
        case .anomalies: counts?.anomalies
        case .late: counts?.late
        case .conflicts: counts?.conflicts
        default: nil
        }
    }
}

/// The links of the side bar, in groups.
enum SideBar {
    private static let groups: [(heading: Phrase?, places: [Destination])] = [
        (nil, [.start, .overview, .users]),
        (.workTitle, [.parked, .dead, .anomalies, .late, .conflicts]),
        (
            .navRunning,
            [
                .deliveries, .refunds, .testers, .reconciliations, .compensations, .catalogue, .keys, .staff, .audit,
            ]
        ),
    ]

    /// The groups with the pages that the role may open; for nobody, the start page alone.
    static func markup(_ frame: Shell.Frame) -> Markup {
        let words = frame.words
        return Markup(
            groups.map { group in
                let places = group.places.filter { place in
                    frame.member.map { $0.role.allows(place.scope) } ?? (place == .start)
                }
                guard !places.isEmpty else { return .nothing }
                let list = Tag.ul(.class("nav")) {
                    for place in places { Tag.li { link(to: place, frame) } }
                }
                guard let heading = group.heading else { return list }
                return Tag.div(.class("nav-group")) {
                    Tag.p(.class("nav-heading")) { words.text(heading) }
                    list
                }
            })
    }

    private static func link(to place: Destination, _ frame: Shell.Frame) -> Markup {
        let isCurrent = place == (frame.isStart ? .start : frame.place)
        return Tag.a(all: [.href(place.link)] + (isCurrent ? [.current] : [])) {
            Tag.span { frame.words.text(place.title) }
            if let waiting = place.waiting(in: frame.work) {
                " "
                Tag.span(.class(waiting.count == 0 ? "waiting none" : "waiting")) { waiting.text(frame.words) }
            }
        }
    }
}
