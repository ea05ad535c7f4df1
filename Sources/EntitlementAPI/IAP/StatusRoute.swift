import Entitlements
import Hummingbird

/// `GET /api/iap/apple/status`: what the user has access to, from what, until when, and why.
enum StatusRoute {
    /// - Throws: `invalid_request` for a parameter that cannot be read, `unavailable`.
    static func respond(to call: UserCall) async throws(Problem) -> Response {
        try await answer(about: call.user, call)
    }

    /// The same about any user.
    ///
    /// - Throws: `invalid_request` for a parameter that cannot be read, `unavailable`.
    static func answer(about user: UserID, _ call: some SignedCall) async throws(Problem) -> Response {
        let query = try Query(call.request.uri.query)
        let at = try query.instant("at") ?? call.now
        let knownAt = try query.instant("known_at")
        let (history, explanation) = (try query.flag("history"), try query.flag("explain"))
        let ledger = try await call.served { () async throws(ServiceFailure) in
            try await call.api.service.ledger(of: user)
        }
        let catalogue = call.api.service.catalogue
        let body: StatusBody
        if knownAt == nil, !history, !explanation {
            let answer = call.api.statusAnswers.answer(about: ledger, given: catalogue, at: at, fold: call.api.fold)
            body = StatusBody(of: user, at: at, answer)
        } else {
            let known = knownAt.map { ledger.known(at: $0) } ?? ledger
            let parts = StatusBody.Parts(
                history: history, explanation: explanation, catalogVersion: catalogue.latest.number)
            body = StatusBody(call.api.fold(known, catalogue, at).status, parts)
        }
        return .validated(
            body.bytes, body.entityTag, ifNoneMatch: call.request.headers[.ifNoneMatch],
            [.cacheControl: "private, no-cache", .vary: "Authorization"])
    }
}
