import Entitlements
import Hummingbird
package import LedgerStore

/// `GET /api/admin/jobs`: the jobs that were given up, or those that wait, the last added first.
enum JobsRoute {
    /// - Throws: `invalid_request` for a malformed filter, limit or cursor, `unavailable`.
    static func respond(to call: ServerCall) async throws(Problem) -> Response {
        let query = try Query(call.request.uri.query)
        let page = try PageRequest(query, of: "jobs")
        let state: RecordedJob.State = try query.choice("state") ?? .dead
        let jobs = try await call.served {
            try await $0.reports.jobs(state, before: page.before, limit: page.limit)
        }
        return .json(page.body(of: jobs) { $0.members(of: $1) })
    }

    /// `POST /api/admin/jobs/{job_id}/revive`: has a dead job tried again.
    static let revive = Routes.idempotent(
        .reviveJob, onRow: "job_id",
        previewedBy: { try await $0.inbox.previewedRevival(of: $1).map { $0.preview.bytes(beside: $0.job.json) } }
    ) {
        try await $0.inbox.revive(job: $1, by: $2, reason: $3, audit: $0.audit)?.json
    }
}

extension RecordedJob {
    /// The JSON of a job for operators (`api.md`, "Jobs").
    package var json: [UInt8] { JSONWriter.object { $0.members(of: self) } }
}

extension JSONWriter {
    /// Writes the members of a job into an object that has been begun.
    fileprivate mutating func members(of job: RecordedJob) {
        member("id", String(job.id))
        member("kind", job.kind.rawValue)
        member("state", job.state.rawValue)
        member("delivery_id", job.delivery.map(String.init))
        member("source", job.source?.text)
        member("type", job.type)
        member("notification_id", job.notification)
        member("attempts", job.attempts)
        member("created_at", exactly: "created_at_ms", job.createdAt)
        // A job that comes before all others is due since it was restarted.
        member("due_at", exactly: "due_at_ms", job.diedAt == nil ? max(job.dueAt, job.createdAt) : nil)
        member("died_at", exactly: "died_at_ms", job.diedAt)
    }
}
