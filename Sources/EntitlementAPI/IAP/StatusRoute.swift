import Entitlements
import Hummingbird
import LedgerStore
import NIOCore

/// `GET /api/iap/apple/status`: the user's access, until when it lasts, and what gives it.
enum StatusRoute {
    /// The size in bytes from which a status is compressed. For a usual, smaller status, compression would cost as much
    /// as all other work.
    static let gzipFrom = 16 * 1024

    /// - Throws: `invalid_request` for a parameter that cannot be read, `unavailable`.
    static func answer(_ principal: Principal, _ call: some SignedCall) async throws(Problem) -> Response {
        let user = principal.user
        let query = try Query(call.request.uri.query)
        let asOf = try AsOf(query, now: call.now)
        let history = try query.flag("history")
        let acts = try ActsRequest(ifAskedIn: query)
        let body: StatusBody
        if asOf.knownAt == nil, !history, acts == nil {
            body = StatusBody(of: user, at: asOf.at, try await standing(of: user, at: asOf.at, call))
        } else {
            body = try await call.folding(user) { (ledger) async throws(Problem) in
                let known = asOf.known(of: ledger)
                let catalogue = call.api.catalogue
                let status = call.api.standing(known, catalogue, asOf.at, explains: acts != nil).status
                var explanation: AnswerExplanation?
                if let page = acts?.page(of: known, at: asOf.at, under: status.settings) {
                    explanation = AnswerExplanation(
                        acts: page, devices: try await call.deviceNames(of: page.acts.compactMap(\.device), in: known),
                        under: ExplainedUnder(status.settings, catalogue))
                }
                let asked = acts == nil ? [] : try await call.refundQuestions(about: user).filter(asOf.isKnown)
                return StatusBody(status, StatusBody.Parts(history: history, explanation, refundQuestions: asked))
            }
        }
        return .validated(
            ByteBuffer(bytes: body.bytes), body.entityTag, ifNoneMatch: call.request.headers[.ifNoneMatch],
            [.cacheControl: "private, no-cache", .vary: "Authorization"])
    }

    /// The stored answer if one holds at `at`; else the answer is made from the ledger and, for the present instant,
    /// kept behind the request.
    private static func standing(
        of user: UserID, at: Instant, _ call: some SignedCall
    ) async throws(Problem) -> StandingAnswer {
        if let stored = try await call.served({ try await $0.standings.answer(about: user, at: at) }) { return stored }
        return try await call.inTurn(about: user) { () async throws(Problem) in
            try await call.served { store in
                let (ledger, head) = try await store.reader.read(user)
                try Task.checkCancellation()
                let catalogue = call.api.catalogue
                let standing = call.api.standing(ledger, catalogue, at)
                let answer = StatusBody.answer(standing.status)
                if at == call.now, let head { store.standings.keep(standing, answer, of: head, given: catalogue) }
                return answer
            }
        }
    }
}
