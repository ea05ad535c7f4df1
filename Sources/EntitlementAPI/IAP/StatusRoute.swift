import Entitlements
import Hummingbird
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
            let answer = try await call.api.statusAnswers.answer(
                about: user, at: asOf.at, given: { call.api.catalogue },
                reading: { (known) async throws(Problem) in try await call.ledger(of: user, unless: known) },
                inTurn: { (fold) async throws(Problem) in try await call.inTurn { () throws(Problem) in fold() } },
                fold: { call.api.fold($0, $1, $2, explains: false) })
            body = StatusBody(of: user, at: asOf.at, answer)
        } else {
            body = try await call.folding(user) { (ledger) async throws(Problem) in
                let known = asOf.known(of: ledger)
                let catalogue = call.api.catalogue
                let status = call.api.fold(known, catalogue, asOf.at, explains: acts != nil).status
                var explanation: AnswerExplanation?
                if let page = acts?.page(of: known, at: asOf.at, under: status.settings) {
                    explanation = AnswerExplanation(
                        acts: page, devices: try await call.deviceNames(of: page.acts.compactMap(\.device), in: known),
                        under: ExplainedUnder(status.settings, catalogue))
                }
                return StatusBody(status, StatusBody.Parts(history: history, explanation))
            }
        }
        return .validated(
            ByteBuffer(bytes: body.bytes), body.entityTag, ifNoneMatch: call.request.headers[.ifNoneMatch],
            [.cacheControl: "private, no-cache", .vary: "Authorization"])
    }
}
