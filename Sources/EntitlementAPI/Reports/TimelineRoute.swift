import Entitlements
import Hummingbird
import LedgerStore

/// `GET /api/admin/users/{user_id}/timeline`: the user's ledger in plain words, the last recorded fact first.
enum TimelineRoute {
    /// - Throws: `not_found` for a malformed user id, `invalid_request` for a malformed limit or cursor, `unavailable`.
    static func respond(to call: ServerCall) async throws(Problem) -> Response {
        let page = try PageRequest(try Query(call.request.uri.query), of: "timeline")
        let user = try call.namedUser()
        let ledger = try await call.ledger(of: user)
        let before = page.before.flatMap { Int(exactly: $0) } ?? .max
        let numbered = ledger.entries.enumerated().prefix { $0.offset + 1 < before }
        let found = ListPage(numbered.suffix(page.limit + 1).reversed(), limit: page.limit) { UInt64($0.offset + 1) }
        let notes = try await call.notes(found.rows.compactMap(\.element.note))
        let devices = try await call.deviceNames(of: found.rows.compactMap(\.element.fact.device), in: ledger)
        return .json(
            page.body(of: found) { json, row in
                let (entry, note) = (row.element, row.element.note.flatMap { notes[$0] })
                json.member("kind", entry.fact.kindText)
                json.member("text", entry.fact.sentence(writing: RFC3339.text(of:), calling: devices.name))
                json.member("effective_at", exactly: "effective_at_ms", entry.effectiveAt)
                json.member("recorded_at", exactly: "recorded_at_ms", entry.recordedAt)
                json.member("source", entry.fact.purchase?.source.text)
                json.member("external_id", entry.fact.purchase?.externalID.text)
                json.member("environment", entry.fact.purchase?.environment.rawValue)
                json.member("transaction_id", entry.fact.state?.transactionID.text)
                json.member("actor", note?.actor)
                json.member("reason", note?.reason)
                json.member("reference", note?.reference)
            })
    }
}
