import EntitlementAPI
import Entitlements
import Hummingbird
import LedgerStore

/// `GET /dashboard/conflicts`: Apple accounts whose purchases belong to several users.
enum ConflictsPage {
    /// - Throws: `unavailable`.
    static func show(_ visit: SignedVisit) async throws(Problem) -> Response {
        let cells = try await ListCells(visit)
        let filters = ListFilters("conflicts", visit)
        let found = try await visit.served {
            try await $0.reports.conflicts(before: filters.before, limit: ListView.rows)
        }
        let view = ListView(
            visit: visit, place: .conflicts, text: .workConflictsText, filters: filters,
            columns: [.columnAccount, .columnOwners, .columnFromSource, .columnSettles],
            none: (.nothingWaits, .workConflictsNone))
        return view.page(found.rows.map { row($0, cells) }, next: ListView.before(found.next))
    }

    private static func row(_ conflict: AccountConflict, _ cells: ListCells) -> Markup {
        let words = cells.words
        let first = conflict.owners.compactMap(\.user).first
        return Shell.row {
            Shell.name(words, .columnAccount) {
                Tag.code { String(conflict.account.text.prefix(12)) }
                Shell.sandbox(words, if: conflict.environment)
            }
            Shell.cell(words, .columnOwners) {
                Tag.ul(.class("owners")) {
                    for owner in conflict.owners {
                        Tag.li {
                            owner.user == nil
                                ? Tag.span(.class("muted")) { words.text(.erasedPerson) } : cells.person(owner.user)
                            Tag.small { words.count(owner.purchases, .onePurchase, .purchases) }
                        }
                    }
                }
            }
            cells.source(.appleIAP, conflict.app)
            cells.settling {
                if let first { Tag.a(.href(Link("users", first.text))) { words.text(.settleTransfer) } }
            }
        }
    }
}
