import Entitlements
import Hummingbird
import LedgerStore

/// The routes by which an operator moves purchases from one user to another (`semantics.md` §5, *A transfer moves the
/// rest*).
enum TransferRoute {
    /// `POST /api/admin/users/{user_id}/transfer`: moves the rest of one purchase, or of all, to another user.
    ///
    /// - Throws: `invalid_request`, the problem of the refusal to transfer, or `unavailable`.
    static func transfer(
        _ principal: Principal, _ body: JSONBody, _ call: ServerCall
    ) async throws(Problem) -> JSONAnswer {
        let (receiver, reason) = (try body.requiredUser("to_user_id"), try body.requiredReason())
        let selection = try selection(in: body)
        let request = try call.nameForNew(body)
        let moved = try await call.act(
            .transfer, on: principal.user, with: receiver, everythingOf: principal.user, reason: reason
        ) { act, history, context in
            act.transfer(selection, to: receiver, request: request, given: history, in: context)
        }.orProblem()
        return answer(moved, to: receiver)
    }

    /// `POST /api/admin/users/{user_id}/merge`: moves everything of a guest to this user.
    ///
    /// - Throws: `invalid_request`, the problem of the refusal to merge, or `unavailable`.
    static func merge(
        _ principal: Principal, _ body: JSONBody, _ call: ServerCall
    ) async throws(Problem) -> JSONAnswer {
        let (guest, reason) = (try body.requiredUser("from_user_id"), try body.requiredReason())
        let (request, name) = (try call.nameForNew(body), try call.labels().mention(of: guest))
        let moved = try await call.act(
            .merge, on: principal.user, with: guest, everythingOf: guest, reason: reason
        ) { act, history, context in
            act.merge(guest, mentionedAs: name, request: request, given: history, in: context)
        }.orProblem()
        return answer(moved, to: principal.user)
    }

    /// The purchase that the body names, or all purchases. Members that name a purchase are refused beside `all`,
    /// because that would move the others too.
    private static func selection(in body: JSONBody) throws(Problem) -> OperatorAct.Selection {
        guard try body.flag("all") ?? false else { return .one(try body.requiredPurchase()) }
        try body.refuse(["external_id", "source", "environment"], beside: "all")
        return .all
    }

    private static func answer(_ moved: [PurchaseKey], to user: UserID) -> JSONAnswer {
        JSONAnswer(
            bytes: JSONWriter.object { json in
                json.member("to_user_id", user.text)
                json.member("transferred", objects: moved) { json, key in
                    json.member("source", key.source.text)
                    json.member("external_id", key.externalID.text)
                    json.member("environment", key.environment.rawValue)
                }
            })
    }
}
