import EntitlementAPI
import Entitlements
import HTTPTypes
import Hummingbird
import LedgerStore
import NIOCore

/// `GET /dashboard/audit` and `GET /dashboard/audit.csv`: the audit trail, on pages and as a table to keep.
enum AuditPage {
    /// The most entries of the table to keep.
    private static let mostKept = 10_000
    /// The entries that are read at a time for it, and the most times, because filters may pass few of them.
    private static let (chunk, mostReads) = (500, 40)

    /// - Throws: `unavailable`.
    static func show(_ visit: SignedVisit) async throws(Problem) -> Response {
        let cells = try await ListCells(visit)
        let (filters, filter) = read(visit)
        let found = try await visit.served {
            try await $0.reports.auditEntries(filter, before: filters.before, limit: ListView.rows)
        }
        let names = try await StaffNames(found.rows.map(\.actor), visit)
        let view = ListView(
            visit: visit, place: .audit, text: .auditText, filters: filters,
            columns: [.columnWhen, .columnActor, .columnActAndReason, .columnCustomer, .columnDetails],
            none: (.auditNone, .auditNoneHint))
        return view.page(
            found.rows.map { row($0, cells, names) }, next: ListView.before(found.next),
            below: Tag.p {
                Tag.a(.href(filters.link(to: "audit.csv"))) { visit.words.text(.auditCSV) }
            })
    }

    private static func read(_ visit: SignedVisit) -> (ListFilters, AuditFilter) {
        var filters = ListFilters("audit", visit)
        let acts = AuditAction.words.map { (value: $0.key, text: visit.words.text($0.value)) }.sorted { left, right in
            (left.text, left.value) < (right.text, right.value)
        }
        let filter = AuditFilter(
            user: filters.user("user_id", isErasedToo: true),
            actor: filters.text("actor", .columnActor, upTo: 128, hint: .auditActorHint),
            action: filters.choice("action", .filterAct, among: acts),
            since: filters.instant("since", .filterFrom), until: filters.instant("until", .filterTo, isEnd: true))
        return (filters, filter)
    }

    private static func row(_ entry: AuditEntry, _ cells: ListCells, _ names: StaffNames) -> Markup {
        let words = cells.words
        return Shell.row {
            cells.time(.columnWhen, entry.at)
            Shell.name(words, .columnActor) {
                Tag.bdi { names.name(of: entry.actor) }
                Tag.small { Tag.bdi { entry.actor } }
            }
            Shell.cell(words, .columnActAndReason) {
                if let did = AuditAction.words[entry.action] { words.text(did) }
                Tag.small { Tag.code { entry.action } }
                if let reason = entry.reason { Tag.small { words(.quoted, ["text": Tag.bdi { reason }]) } }
            }
            Shell.cell(words, .columnCustomer) {
                if entry.user != nil {
                    cells.person(entry.user)
                } else if entry.subject != nil {
                    Tag.span(.class("muted")) { words.text(.erasedPerson) }
                }
            }
            Shell.cell(words, .columnDetails) {
                if let details = entry.details, details != "{}" { Tag.small { Tag.bdi { details } } }
            }
        }
    }

    /// The entries under the same filters as comma-separated values, the newest first.
    ///
    /// - Throws: `invalid_request` for a filter that cannot be read, `unavailable`.
    static func table(_ visit: SignedVisit) async throws(Problem) -> Response {
        let (filters, filter) = read(visit)
        guard !filters.isMistyped else { throw Problem(.invalidRequest, "") }
        var (entries, before, reads): ([AuditEntry], UInt64?, Int) = ([], nil, 0)
        repeat {
            reads += 1
            let place = before
            let page = try await visit.served {
                try await $0.reports.auditEntries(filter, before: place, limit: chunk)
            }
            entries += page.rows
            before = page.next
        } while before != nil && entries.count < mostKept && reads < mostReads
        let names = try await StaffNames(entries.map(\.actor), visit)
        var csv = CSVText()
        csv.append([
            "id", "at", "actor", "actor_name", "action", "user_id", "other_pseudonym", "reason", "details", "hash",
        ])
        for entry in entries {
            csv.append([
                String(entry.id), RFC3339.text(of: entry.at), entry.actor, names.name(of: entry.actor), entry.action,
                entry.user?.text ?? "", entry.otherSubject.map { String($0) } ?? "", entry.reason ?? "",
                entry.details ?? "", Hexadecimal.text(entry.hash),
            ])
        }
        if before != nil { csv.append([visit.words.text(.auditCSVCut)]) }
        var headers = Response.safe
        headers[.contentType] = "text/csv; charset=utf-8"
        headers[.contentDisposition] = "attachment; filename=\"audit.csv\""
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: csv.text)))
    }
}

/// The names of people of the staff, looked up when they are shown.
struct StaffNames {
    private let words: Words
    private let names: [UInt64: String]

    /// - Throws: `unavailable`.
    init(_ actors: [String], _ visit: SignedVisit) async throws(Problem) {
        words = visit.words
        let ids = Set(actors.compactMap { Actor.staff(in: $0) })
        names = try await visit.served { try await $0.staff.names(of: ids) }
    }

    /// The name of an actor; `staff 3` for a person who is not there any more.
    func name(of actor: String) -> String { words.actor(actor, names) }
}
