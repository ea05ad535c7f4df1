import Entitlements
import Hummingbird

/// `GET /api/admin/users/{user_id}/timeline`: every fact about a user in plain words, the last recorded first.
enum TimelineRoute {
    /// - Throws: `not_found` for what is no user id, `invalid_request` for a limit or a cursor that is none,
    ///   `unavailable`.
    static func respond(to call: ServerCall) async throws(Problem) -> Response {
        let page = try PageRequest(try Query(call.request.uri.query), of: "timeline")
        let user = try call.namedUser()
        let ledger = try await call.ledger(of: user)
        let before = page.before.flatMap { Int(exactly: $0) } ?? .max
        let rows = Array(
            ledger.entries.enumerated().prefix { $0.offset + 1 < before }.suffix(page.readLimit).reversed())
        let notes = try await call.notes(rows.compactMap(\.element.note))
        let devices = try await call.deviceNames(of: rows.compactMap(\.element.fact.device), in: ledger)
        return .json(
            page.body(of: rows, number: { UInt64($0.offset + 1) }) { json, row in
                json.append(row.element, row.element.note.flatMap { notes[$0] }, devices)
            })
    }
}

extension JSONWriter {
    fileprivate mutating func append(_ entry: LedgerEntry, _ note: Note?, _ devices: DeviceNames) {
        beginObject()
        member("kind", entry.fact.kindText)
        member("text", entry.fact.sentence(writing: RFC3339.text(of:), calling: devices.name))
        member("effective_at", exactly: "effective_at_ms", entry.effectiveAt)
        member("recorded_at", exactly: "recorded_at_ms", entry.recordedAt)
        member("source", entry.fact.purchase?.source.text)
        member("external_id", entry.fact.purchase?.externalID.text)
        member("environment", entry.fact.purchase?.environment.rawValue)
        member("transaction_id", entry.fact.state?.transactionID.text)
        member("actor", note?.actor)
        member("reason", note?.reason)
        member("reference", note?.reference)
        endObject()
    }
}
