import Entitlements
import Hummingbird
import LedgerStore

/// `POST /api/admin/users/{user_id}/bind`: an operator makes a user's what no living person has.
enum BindPurchaseRoute {
    /// - Throws: What is wrong with the request, then why nothing is bound.
    static func answer(
        _ acting: Acting, _ body: JSONBody, _ call: ServerCall
    ) async throws(Problem) -> JSONAnswer {
        let act = try PurchaseAct(body)
        let note = act.note(by: acting)
        let key = try await recorded(act.name, call)
        let bound = try await call.recorded(
            for: acting, keys: [key], audit: acting.audit(.bindPurchase, reason: act.reason, key.auditDetails),
            orElse: { (refusal: BindRefusal) in Problem(refusal) }
        ) { history, context in
            BindPurchase(key, to: acting.user, note: note, in: context).decide(given: history)
        }
        var json = JSONWriter(capacity: 256)
        json.beginObject()
        json.member("user_id", acting.user.text)
        json.members(of: bound)
        json.endObject()
        return JSONAnswer(bytes: json.bytes)
    }

    /// The one purchase that `name` means, whosever it is.
    private static func recorded(_ name: PurchaseName, _ call: ServerCall) async throws(Problem) -> PurchaseKey {
        let labels = try call.labels()
        let found = try await call.served { () async throws(ServiceFailure) in
            try await call.api.operators.search(name.id.text, under: labels)
        }
        let keys = found.compactMap { found -> PurchaseKey? in
            guard case .purchase(let key, _) = found else { return nil }
            return key
        }.filter { name.means($0) }
        guard let key = keys.first else { throw Problem(BindRefusal.unknownPurchase) }
        guard keys.count == 1 else { throw Problem(PurchaseNameRefusal.ambiguousPurchase) }
        return key
    }
}
