import Entitlements
import Hummingbird

/// `GET /api/admin/users/{user_id}/timeline`: every fact about a user in plain words, the last recorded first.
enum TimelineRoute {
    /// - Throws: `not_found` for what is no user id, `invalid_request` for a limit or a cursor that is none, `unavailable`.
    static func respond(to call: ServerCall) async throws(Problem) -> Response {
        let page = try PageRequest(try Query(call.request.uri.query), of: "timeline")
        let user = try call.namedUser()
        let ledger = try await call.ledger(of: user)
        let before = page.before.flatMap { Int(exactly: $0) } ?? .max
        let rows = ledger.entries.enumerated().prefix { $0.offset + 1 < before }.suffix(page.readLimit).reversed()
        return .json(page.body(of: Array(rows), number: { UInt64($0.offset + 1) }) { $0.append($1.element) })
    }
}

extension JSONWriter {
    fileprivate mutating func append(_ entry: LedgerEntry) {
        beginObject()
        member("kind", entry.fact.kindText)
        member("text", entry.fact.sentence(writing: RFC3339.text(of:)))
        member("effective_at", exactly: "effective_at_ms", entry.effectiveAt)
        member("recorded_at", exactly: "recorded_at_ms", entry.recordedAt)
        member("source", entry.fact.purchase?.source.rawValue)
        member("external_id", entry.fact.purchase?.externalID.text)
        member("environment", entry.fact.purchase?.environment.rawValue)
        member("transaction_id", entry.fact.state?.transactionID.text)
        member("actor", entry.note?.actor)
        member("reason", entry.note?.reason)
        member("reference", entry.note?.reference)
        endObject()
    }
}
