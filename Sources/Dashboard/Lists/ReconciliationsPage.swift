import EntitlementAPI
import Entitlements
import Hummingbird
import LedgerStore

/// `GET /dashboard/reconciliations`: the runs that compared Apple's records with ours, and what they found.
enum ReconciliationsPage {
    /// The most purchases that a row names.
    private static let named = 20

    /// - Throws: `unavailable`.
    static func show(_ visit: SignedVisit) async throws(Problem) -> Response {
        let cells = try await ListCells(visit)
        let filters = ListFilters("reconciliations", visit)
        let found = try await visit.served {
            let runs = try await $0.reports.reconciliations(before: filters.before, limit: ListView.rows + 1)
            return ListPage(runs, limit: ListView.rows, number: \.id)
        }
        let view = ListView(
            visit: visit, place: .reconciliations, text: .reconciliationsText, filters: filters,
            columns: [.columnBegun, .columnRunEnded, .columnAsked, .columnFound, .columnUnlisted],
            none: (.reconciliationsNone, .reconciliationsNoneHint))
        return view.page(found.rows.map { row($0, cells) }, next: ListView.before(found.next))
    }

    private static func row(_ run: Reconciliation, _ cells: ListCells) -> Markup {
        let words = cells.words
        return Shell.row {
            cells.time(.columnBegun, run.begunAt)
            Shell.cell(words, .columnRunEnded) {
                if run.endedAt == nil {
                    Tag.span(.class("warn")) { words.text(.runNotEnded) }
                } else {
                    words.cell(run.endedAt)
                }
            }
            Shell.cell(words, .columnAsked) {
                run.isOfOneUser ? words.text(.runOfOneUser) : words.count(run.users, .oneUser, .userCount)
                Tag.small {
                    run.since.map { words.text(.runSince, ["date": words.date($0)]) } ?? words.text(.runOfAll)
                }
                if run.refused > 0 {
                    Tag.small(.class("warn")) { words.text(.runRefused, ["n": words.number(run.refused)]) }
                }
            }
            Shell.name(words, .columnFound) {
                Tag.span(.class(run.missed == 0 ? "" : "bad")) {
                    run.missed == 0 ? words.text(.runComplete) : words.count(run.missed, .oneMissing, .missing)
                }
                if run.missed > 0 {
                    Tag.small {
                        words.text(
                            .runParts,
                            [
                                "notifications": words.number(run.notifications),
                                "purchases": words.number(run.purchases), "statements": words.number(run.statements),
                            ])
                    }
                }
            }
            Shell.cell(words, .columnUnlisted) {
                run.unlisted.isEmpty ? words.text(.dash) : words.number(run.unlisted.count)
                if !run.unlisted.isEmpty {
                    Tag.details {
                        Tag.summary { words.text(.showThem) }
                        Tag.ul {
                            for id in run.unlisted.prefix(named) {
                                Tag.li { Tag.a(.href(Link("search", query: [("q", id)]))) { Tag.code { id } } }
                            }
                        }
                    }
                }
            }
        }
    }
}
