import EntitlementAPI
import Entitlements
import Hummingbird
import LedgerStore

/// `GET /dashboard/testers`: the users who have Sandbox purchases count.
enum TestersPage {
    /// - Throws: `unavailable`.
    static func show(_ visit: SignedVisit) async throws(Problem) -> Response {
        let cells = try await ListCells(visit)
        let filters = ListFilters("testers", visit)
        let found = try await visit.served {
            try await $0.reports.sandboxTesters(before: filters.before, limit: ListView.rows)
        }
        let view = ListView(
            visit: visit, place: .testers, text: .testersText, filters: filters,
            columns: [.columnCustomer, .columnSince], none: (.testersNone, .testersNoneHint))
        return view.page(
            found.rows.map { tester in
                Shell.row {
                    Shell.name(visit.words, .columnCustomer) {
                        cells.person(tester.user)
                        Shell.sandbox(visit.words, if: .sandbox)
                    }
                    cells.time(.columnSince, tester.namedAt)
                }
            }, next: ListView.before(found.next))
    }
}
