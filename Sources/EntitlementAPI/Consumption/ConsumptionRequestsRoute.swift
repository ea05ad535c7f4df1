import Entitlements
import Hummingbird
import LedgerStore

/// `GET /api/admin/consumption-requests`: what the App Store asked about refunds, and what it was told or why it was
/// told nothing, the last first.
enum ConsumptionRequestsRoute {
    /// - Throws: `invalid_request` for a malformed filter, limit or cursor, `unavailable`.
    static func respond(to call: ServerCall) async throws(Problem) -> Response {
        let query = try Query(call.request.uri.query)
        let page = try PageRequest(query, of: "consumption-requests")
        let state: ConsumptionRequest.State? = try query.choice("state")
        let user = try query.user("user_id")
        let requests = try await call.served {
            try await $0.reports.consumptionRequests(state, of: user, before: page.before, limit: page.limit)
        }
        return .json(page.body(of: requests) { $0.members(of: $1) })
    }
}

extension JSONWriter {
    /// Writes the members of a question into an object that has been begun.
    mutating func members(of request: ConsumptionRequest) {
        let (question, answer) = (request.question, request.answer)
        member("id", String(request.id))
        member("state", request.state.rawValue)
        member("reason", request.silence?.rawValue)
        member("user_id", request.owner?.text)
        members(of: question.purchase)
        member("transaction_id", question.transaction.text)
        member("asked_at", exactly: "asked_at_ms", question.askedAt)
        member("deadline", exactly: "deadline_ms", request.deadline)
        member("decided_at", exactly: "decided_at_ms", request.decidedAt)
        member("consented", request.consent)
        member("delivered", answer?.isDelivered)
        member("consumed_share", answer?.share)
        member("refund_preference", answer?.preference.rawValue)
        member("sample_content_provided", answer?.providesSamples)
        member("apple_error", request.refusal)
    }
}
