import Entitlements
import Hummingbird
import LedgerStore

/// `GET /api/admin/audit`: who did what, when and why, newest first.
enum AuditRoute {
    /// - Throws: `invalid_request` for a limit or a cursor that is none, `unavailable`.
    static func respond(to call: ServerCall) async throws(Problem) -> Response {
        let page = try PageRequest(try Query(call.request.uri.query), of: "audit")
        let rows = try await call.served {
            try await $0.reports.auditEntries(before: page.before, limit: page.readLimit)
        }
        return .json(page.body(of: rows, number: \.id) { $0.append($1) })
    }
}

extension JSONWriter {
    fileprivate mutating func append(_ entry: AuditEntry) {
        beginObject()
        member("id", String(entry.id))
        member("at", exactly: "at_ms", entry.at)
        member("actor", entry.actor)
        member("action", entry.action)
        member("user_id", entry.user?.text)
        member("other_pseudonym", entry.otherSubject.map { String($0) })
        name("details")
        if let details = entry.details { value(json: details) } else { null() }
        member("reason", entry.reason)
        member("hash", Hexadecimal.text(entry.hash))
        endObject()
    }
}
