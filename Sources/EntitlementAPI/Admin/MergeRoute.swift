import Entitlements
import Hummingbird
import LedgerStore

/// `POST /api/admin/users/{user_id}/merge`: everything that a guest has becomes this user's.
enum MergeRoute {
    /// - Throws: The fault of the request, then why nothing is merged.
    static func answer(
        _ principal: Principal, _ body: JSONBody, _ call: ServerCall
    ) async throws(Problem) -> JSONAnswer {
        try body.requireObject()
        let guest = try body.requiredUser("from_user_id")
        let reason = try body.requiredReason()
        let note = Note(actor: principal.actor?.text, reason: reason)
        let request = try call.nameForNew(body)
        let labels = try call.labels()
        let moved = try await call.recorded(
            for: principal, and: [guest], everythingOf: guest,
            audit: principal.audit(.merge, with: guest, reason: reason),
            orElse: { (refusal: MergeRefusal) in Problem(refusal) }
        ) { history, context in
            Merge(
                guest, into: principal.user, note: note, mentionedAs: labels.mention(of: guest), request: request,
                in: context
            ).decide(given: history)
        }
        return JSONAnswer(bytes: MovedBody(moved, to: principal.user).bytes)
    }
}
