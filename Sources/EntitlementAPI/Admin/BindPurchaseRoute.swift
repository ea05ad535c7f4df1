import Entitlements
import Hummingbird
import LedgerStore

/// `POST /api/admin/users/{user_id}/bind`: an operator gives a user a purchase that no living user owns.
enum BindPurchaseRoute {
    /// - Throws: `invalid_request`, the problem of the refusal to bind the purchase, or `unavailable`.
    static func answer(
        _ principal: Principal, _ body: JSONBody, _ call: ServerCall
    ) async throws(Problem) -> JSONAnswer {
        let (name, reason) = (try body.requiredPurchase(), try body.requiredReason())
        let key = try await recorded(name, call)
        let bound = try await call.act(
            .bindPurchase, on: principal.user, keys: [key], reason: reason, key.auditDetails
        ) { act, history, context in act.bind(key, given: history, in: context) }.orProblem()
        return JSONAnswer(
            bytes: JSONWriter.object { json in
                json.member("user_id", principal.user.text)
                json.members(of: bound)
            })
    }

    /// The recorded purchase that `name` matches, whoever owns it.
    ///
    /// - Throws: `unknown_purchase` if no purchase matches, `ambiguous_purchase` if several do, `unavailable`.
    private static func recorded(_ name: PurchaseName, _ call: ServerCall) async throws(Problem) -> PurchaseKey {
        let labels = try call.labels()
        let found = try await call.served { try await $0.reports.search(name.id.text, under: labels) }
        let keys = found.filter { $0.kind == .purchase }.compactMap(\.key).filter { name.means($0) }
        guard let key = keys.first else { throw Problem(OperatorRefusal.unknownPurchase) }
        guard keys.count == 1 else { throw Problem(OperatorRefusal.ambiguousPurchase) }
        return key
    }
}
