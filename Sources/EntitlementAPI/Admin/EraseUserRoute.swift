import Entitlements
import Hummingbird
import LedgerStore

/// `POST /api/admin/users/{user_id}/erase`: erases the person. The purchases stay under a pseudonym (`semantics.md` §5,
/// *Erasing a person*).
enum EraseUserRoute {
    /// - Throws: `invalid_request`, what ``ServerCall/idempotently(_:about:act:)`` throws, `not_found` for a user who
    ///   was never seen, `unavailable`.
    static func respond(to call: ServerCall) async throws(Problem) -> Response {
        let user = try call.namedUser()
        let body = try await call.json()
        try body.requireObject()
        let reason = try body.requiredReason()
        guard try !call.isDryRun() else {
            guard let preview = try await call.served({ try await $0.erasure.previewed(user) }) else { throw .notFound }
            return .json(preview.bytes(beside: []))
        }
        let subject = IdempotencySubject(user, under: try call.labels())
        return try await call.idempotently(body, about: subject) { attempt async throws(Problem) in
            let erased = try await call.served { store in
                defer { store.ledger.forget(user) }
                return try await store.erasure.erase(user, by: call.actor, reason: reason) {
                    attempt.remembered(JSONAnswer.nothing.status, JSONAnswer.nothing.bytes)
                }
            }
            guard erased != nil else { throw .notFound }
            call.api.logger.tell(.erase, by: call.actor)
            var answer = JSONAnswer.nothing
            answer.isRemembered = true
            return answer
        }
    }
}
