import EntitlementAPI
import Entitlements
import Hummingbird
import LedgerStore

/// `GET /dashboard/jobs`: the jobs that were given up, or those that wait; and the form that has one tried again.
enum JobsPage {
    private static let path = "jobs"

    /// - Throws: `unavailable`.
    static func show(_ visit: SignedVisit) async throws(Problem) -> Response {
        let cells = try await ListCells(visit)
        let words = visit.words
        var filters = ListFilters(path, visit)
        let state = filters.choice("state", .columnState, orElse: RecordedJob.State.dead) {
            words.text($0 == .dead ? .jobDead : .jobWaiting)
        }
        let found = try await visit.served {
            try await $0.reports.jobs(state ?? .dead, before: filters.before, limit: ListView.rows)
        }
        let isDead = state == .dead
        let view = ListView(
            visit: visit, place: .dead, title: isDead ? nil : .jobsWaitingTitle,
            text: isDead ? .workDeadText : .jobsWaitingText, filters: filters,
            columns: [
                isDead ? .columnGaveUp : .columnDue, .columnWhat, .columnTries, .columnFromSource, .columnSettles,
            ],
            none: isDead ? (.nothingWaits, .workDeadNone) : (.jobsWaitingNone, .jobsWaitingNoneHint),
            done: ["revived": .doneRevived, "kept": .doneNotRevived])
        return view.page(found.rows.map { row($0, cells, filters) }, next: ListView.before(found.next))
    }

    private static func row(_ job: RecordedJob, _ cells: ListCells, _ filters: ListFilters) -> Markup {
        let words = cells.words
        return Shell.row {
            cells.time(
                job.diedAt == nil ? .columnDue : .columnGaveUp, job.diedAt ?? max(job.dueAt, job.createdAt))
            Shell.name(words, .columnWhat) {
                words.text(job.kind.word)
                if let type = job.type { Tag.small { Tag.bdi { type } } }
                if let notification = job.notification { cells.search(notification) }
            }
            Shell.cell(words, .columnTries) { words.number(job.attempts) }
            cells.source(job.source, nil)
            cells.settling {
                if job.state == .dead, cells.mayAct {
                    cells.act(.revive, String(job.id), to: Link(path, String(job.id), "revive"), filters)
                }
            }
        }
    }

    /// Has a dead job tried again.
    ///
    /// - Throws: `not_found` for a job that is not there, `unavailable`.
    static func revive(_ visit: SignedVisit, _ form: FormText) async throws(Problem) -> Response {
        let number = try visit.number("job_id")
        let revived = try await visit.served {
            try await $0.inbox.revive(job: number, by: visit.actor, reason: nil, audit: $0.audit)
        }
        guard let revived else { throw Problem(.notFound, "") }
        visit.log(.reviveJob)
        return visit.back(form, to: path, saying: revived.state == .dead ? "kept" : "revived")
    }
}

extension JobKind {
    fileprivate var word: Phrase {
        switch self {
        case .delivery: .jobDelivery
        case .history: .jobHistory
        case .consumption: .jobConsumption
        case .accountToken: .jobAccountToken
        case .lookup: .jobLookup
        case .chain: .jobChain
        case .notifications: .jobNotifications
        }
    }
}
