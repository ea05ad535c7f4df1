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
        var parts = StatusBody.Parts(
            history: try query.flag("history"), explanation: try query.flag("explain"))
        let ledger = try await call.served { () async throws(ServiceFailure) in
            try await call.api.service.ledger(of: user)
        }
        parts.catalogVersion = call.api.service.catalogue.latest.number
        let body = body(about: ledger, at: at, knownAt: knownAt, parts, call)
        return .validated(
            body.bytes, body.entityTag, ifNoneMatch: call.request.headers[.ifNoneMatch],
            [.cacheControl: "private, no-cache", .vary: "Authorization"])
    }

    private static func body(
        about ledger: UserLedger, at: Instant, knownAt: Instant?, _ parts: StatusBody.Parts, _ call: some SignedCall
    ) -> StatusBody {
        let catalogue = call.api.service.catalogue
        guard knownAt == nil, !parts.history, !parts.explanation else {
            let known = knownAt.map { ledger.known(at: $0) } ?? ledger
            return StatusBody(call.api.fold(known, catalogue, at).status, parts)
        }
        let answer = call.api.statusAnswers.answer(about: ledger, given: catalogue, at: at, fold: call.api.fold)
        return StatusBody(of: ledger.user, at: at, answer)
    }
}
