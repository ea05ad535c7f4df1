import EntitlementAPI
import Entitlements
import Hummingbird
import LedgerStore

/// `GET /dashboard/conflicts`: Apple accounts whose purchases belong to several users, or are claimed by another one.
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
        let users = conflict.owners.compactMap(\.user)
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
                            if owner.refusedClaims > 0 {
                                Tag.small { words.text(.claimsRefused, ["n": String(owner.refusedClaims)]) }
                            }
                            if let user = owner.user, owner.purchases > 0, users.count > 1, cells.mayAct {
                                move(from: user, users, words)
                            }
                        }
                    }
                }
            }
            cells.source(.appleIAP, conflict.app)
            cells.settling {
                if users.count == 2, cells.mayAct {
                    let link = ActPages<Merge>.link(to: users[0], query: [("user", users[1].text)])
                    Tag.a(.href(link)) { words.text(Merge.title) }
                }
            }
        }
    }

    /// The link to the form that moves everything of one owner to the other; of several others, the reader names one.
    private static func move(from user: UserID, _ users: [UserID], _ words: Words) -> Markup {
        let others = users.filter { $0 != user }
        let receiver = others.count == 1 ? [("user", others[0].text)] : []
        return Tag.small {
            Tag.a(
                .href(ActPages<Transfer>.link(to: user, query: [("purchase", Transfer.all)] + receiver)),
                .ariaLabel(words.text(.moveFrom, ["user": user.text]))
            ) { words.text(.linkTransfer) }
        }
    }
}
