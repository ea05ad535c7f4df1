import Entitlements
import Hummingbird
import LedgerStore

/// `GET /api/admin/users/{user_id}/timeline`: the user's ledger in plain words, the last recorded fact first, with the
/// App Store's questions about refunds where they were asked.
enum TimelineRoute {
    /// - Throws: `not_found` for a malformed user id, `invalid_request` for a malformed limit or cursor, `rate_limited`
    ///   if too many reads about the user wait, `unavailable`.
    static func respond(to call: ServerCall) async throws(Problem) -> Response {
        let page = try PageRequest(try Query(call.request.uri.query), of: "timeline")
        let user = try call.namedUser()
        return try await call.folding(user) { (ledger) async throws(Problem) in
            try await answer(page, of: ledger, about: user, call)
        }
    }

    private static func answer(
        _ page: PageRequest, of ledger: UserLedger, about user: UserID, _ call: ServerCall
    ) async throws(Problem) -> Response {
        let before = page.before.flatMap { Int(exactly: $0) } ?? .max
        let numbered = ledger.entries.enumerated().prefix { $0.offset + 1 < before }
        let found = ListPage(numbered.suffix(page.limit + 1).reversed(), limit: page.limit) { UInt64($0.offset + 1) }
        let notes = try await call.notes(found.rows.compactMap(\.element.note))
        let devices = try await call.deviceNames(of: found.rows.compactMap(\.element.fact.device), in: ledger)
        let asked = Dictionary(grouping: try await call.refundQuestions(about: user)) { $0.place(in: ledger) }
        let rows = found.rows.flatMap { number, entry in
            (asked[number + 1] ?? []).map(Row.question) + [.fact(entry, entry.note.flatMap { notes[$0] })]
        }
        let first = found.next == nil ? (asked[0] ?? []).map(Row.question) : []
        return .json(
            page.body(of: ListPage(rows: rows + first, next: found.next)) { json, row in
                switch row {
                case .fact(let entry, let note): json.members(of: entry, note, devices)
                case .question(let question): json.factMembers(of: question)
                }
            })
    }

    /// A row of the answer.
    private enum Row {
        case fact(LedgerEntry, Note?)
        case question(ConsumptionRequest)
    }
}

extension SignedCall {
    /// The App Store's questions about refunds of a user's purchases, the last recorded first.
    ///
    /// - Throws: `unavailable`.
    func refundQuestions(about user: UserID) async throws(Problem) -> [ConsumptionRequest] {
        try await served { try await $0.reports.consumptionRequests(about: user) }
    }
}

extension JSONWriter {
    /// Writes the members of a fact into an object that has been begun.
    fileprivate mutating func members(of entry: LedgerEntry, _ note: Note?, _ devices: DeviceNames) {
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
    }

    /// Writes a question into an object that has been begun, with the members of a fact.
    fileprivate mutating func factMembers(of asked: ConsumptionRequest) {
        member("kind", "refund_question")
        member("text", asked.sentence)
        member("effective_at", exactly: "effective_at_ms", asked.question.askedAt)
        member("recorded_at", exactly: "recorded_at_ms", asked.changedAt)
        member("source", asked.question.purchase.source.text)
        member("external_id", asked.question.purchase.externalID.text)
        member("environment", asked.question.purchase.environment.rawValue)
        member("transaction_id", asked.question.transaction.text)
        member("actor", nil as String?)
        member("reason", nil as String?)
        member("reference", nil as String?)
    }
}
