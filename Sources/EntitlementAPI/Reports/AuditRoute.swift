import Entitlements
import Hummingbird
package import LedgerStore

/// `GET /api/admin/audit`: the audit trail, newest first.
enum AuditRoute {
    /// The filters of the query.
    static let parameters = ["user_id", "actor", "action", "since", "until"]

    /// - Throws: `invalid_request` for a malformed filter, limit or cursor, `unavailable`.
    static func respond(to call: ServerCall) async throws(Problem) -> Response {
        let query = try Query(call.request.uri.query)
        let page = try PageRequest(query, of: "audit")
        let filter = AuditFilter(
            user: try person(in: query), actor: try name("actor", upTo: 128, in: query),
            action: try name("action", upTo: 64, in: query), since: try query.instant("since"),
            until: try query.instant("until"))
        if let since = filter.since, let until = filter.until, until <= since {
            throw .invalidRequest("The parameter must be later than since.", at: "?until")
        }
        let entries = try await call.served {
            try await $0.reports.auditEntries(filter, before: page.before, limit: page.limit)
        }
        return .json(page.body(of: entries) { $0.members(of: $1) })
    }

    /// The person in `user_id`: a user id, or `#` and a pseudonym.
    private static func person(in query: Query) throws(Problem) -> UserID? {
        guard let text = try query.text("user_id"), let erased = UserID(pseudonym: text) else {
            return try query.user("user_id")
        }
        return erased
    }

    private static func name(_ parameter: String, upTo limit: Int, in query: Query) throws(Problem) -> String? {
        guard let text = try query.text(parameter) else { return nil }
        guard (1...limit).contains(text.unicodeScalars.count) else {
            throw .invalidRequest("The parameter has 1 to \(limit) characters.", at: "?" + parameter)
        }
        return text
    }
}

extension AuditEntry {
    /// The JSON of an entry for operators (`api.md`, "Audit trail").
    package var json: [UInt8] { JSONWriter.object { $0.members(of: self) } }
}

extension JSONWriter {
    /// Writes the members of an entry into an object that has been begun.
    fileprivate mutating func members(of entry: AuditEntry) {
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
    }
}
