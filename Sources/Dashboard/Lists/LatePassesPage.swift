import EntitlementAPI
import Entitlements
import Hummingbird
import LedgerStore

/// `GET /dashboard/late-passes`: passes that had ended before they were attached, to be made good.
enum LatePassesPage {
    /// - Throws: `unavailable`.
    static func show(_ visit: SignedVisit) async throws(Problem) -> Response {
        let cells = try await ListCells(visit)
        let filters = ListFilters("late-passes", visit)
        let found = try await visit.inTurn(at: .lists) { () async throws(Problem) in
            try await visit.served {
                try await LatePass.page(before: filters.before, limit: ListView.rows, in: $0, at: visit.now)
            }
        }
        let view = ListView(
            visit: visit, place: .late, text: .workLateText, filters: filters,
            columns: [.columnLearned, .columnWhat, .columnEnded, .columnCustomer, .columnFromSource, .columnSettles],
            none: (.nothingWaits, .workLateNone))
        return view.page(found.rows.map { row($0, cells) }, next: ListView.before(found.next))
    }

    private static func row(_ pass: LatePass, _ cells: ListCells) -> Markup {
        let (words, key) = (cells.words, pass.subscription.key)
        return Shell.row {
            cells.time(.columnLearned, pass.attachedAt)
            Shell.name(words, .columnWhat) {
                cells.product(pass.subscription.productID, of: key)
                Shell.sandbox(words, if: key.environment)
                Tag.small { Tag.code { key.externalID.text } }
            }
            cells.time(.columnEnded, pass.subscription.expiresAt)
            cells.customer(pass.owner)
            cells.source(key.source, key.app)
            cells.settling {
                if pass.grant != nil {
                    Tag.span(.class("muted")) { words.text(.madeGood) }
                } else if cells.mayAct {
                    let link = ActPages<MakeGood>.link(to: pass.owner, query: [("purchase", Desk.name(of: key))])
                    Tag.a(.href(link)) { words.text(.makeGood) }
                }
            }
        }
    }
}
