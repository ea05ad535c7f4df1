import Entitlements
import Hummingbird
import LedgerStore

/// The rest of what one user has goes to another.
enum TransferRoute {
    /// `POST /api/admin/users/{user_id}/transfer`: the rest of one purchase, or of all, goes to another user.
    ///
    /// - Throws: The fault of the request, then why nothing is transferred.
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

    /// `POST /api/admin/users/{user_id}/merge`: everything that a guest has becomes this user's.
    ///
    /// - Throws: The fault of the request, then why nothing is merged.
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

    /// A single purchase, or all; members that name one beside `all` are refused, for it would be moved with the rest.
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
