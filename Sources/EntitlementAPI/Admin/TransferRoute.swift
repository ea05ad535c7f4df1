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
        let act = principal.transfer(selection, to: receiver, request: request, reason: reason)
        return JSONAnswer(bytes: ActReply.moved(try await call.perform(act).answer.orProblem(), to: receiver))
    }

    /// `POST /api/admin/users/{user_id}/merge`: moves everything of a guest to this user.
    ///
    /// - Throws: `invalid_request`, the problem of the refusal to merge, or `unavailable`.
    static func merge(
        _ principal: Principal, _ body: JSONBody, _ call: ServerCall
    ) async throws(Problem) -> JSONAnswer {
        let (guest, reason) = (try body.requiredUser("from_user_id"), try body.requiredReason())
        let act = principal.merge(
            guest, request: try call.nameForNew(body), reason: reason, under: try call.labels())
        return JSONAnswer(bytes: ActReply.moved(try await call.perform(act).answer.orProblem(), to: principal.user))
    }

    /// The purchase that the body names, or all purchases. Members that name a purchase are refused beside `all`,
    /// because that would move the others too.
    private static func selection(in body: JSONBody) throws(Problem) -> OperatorAct.Selection {
        guard try body.flag("all") ?? false else { return .one(try body.requiredPurchase()) }
        try body.refuse(["external_id", "source", "environment"], beside: "all")
        return .all
    }
}
