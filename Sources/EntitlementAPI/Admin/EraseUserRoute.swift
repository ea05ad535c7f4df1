package import Entitlements
import Hummingbird
package import LedgerStore

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
            let isErased = try await call.erase(user, by: call.actor, reason: reason) {
                attempt.remembered(JSONAnswer.nothing.status, JSONAnswer.nothing.bytes)
            }
            guard isErased else { throw .notFound }
            var answer = JSONAnswer.nothing
            answer.isRemembered = true
            return answer
        }
    }
}

extension Call {
    /// Erases `user`, and stores the answer of `remembering` for repeats in the same transaction. False for a user who
    /// was never seen.
    ///
    /// - Throws: `unavailable`.
    package func erase(
        _ user: UserID, by actor: Actor, reason: String, remembering: @escaping @Sendable () -> RememberedAnswer
    ) async throws(Problem) -> Bool {
        let erased = try await served { store in
            defer { store.ledger.forget(user) }
            return try await store.erasure.erase(user, by: actor, reason: reason, remembering: remembering)
        }
        if erased != nil { api.logger.tell(.erase, by: actor) }
        return erased != nil
    }
}
