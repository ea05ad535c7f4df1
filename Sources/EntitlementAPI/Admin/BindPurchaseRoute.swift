import Entitlements
import Hummingbird
import LedgerStore

/// `POST /api/admin/users/{user_id}/bind`: an operator gives a user a purchase that no living user owns.
enum BindPurchaseRoute {
    /// - Throws: The fault of the request, then why nothing is bound.
    static func answer(
        _ principal: Principal, _ body: JSONBody, _ call: ServerCall
    ) async throws(Problem) -> JSONAnswer {
        let act = try PurchaseAct(body)
        let note = act.note(by: principal)
        let key = try await recorded(act.name, call)
        let bound = try await call.recorded(
            for: principal, keys: [key], audit: principal.audit(.bindPurchase, reason: act.reason, key.auditDetails),
            orElse: { (refusal: BindRefusal) in Problem(refusal) }
        ) { history, context in
            BindPurchase(key, to: principal.user, note: note, in: context).decide(given: history)
        }
        var json = JSONWriter(capacity: 256)
        json.beginObject()
        json.member("user_id", principal.user.text)
        json.members(of: bound)
        json.endObject()
        return JSONAnswer(bytes: json.bytes)
    }

    /// The one purchase that `name` means, whosever it is.
    private static func recorded(_ name: PurchaseName, _ call: ServerCall) async throws(Problem) -> PurchaseKey {
        let labels = try call.labels()
        let found = try await call.served { try await $0.reports.search(name.id.text, under: labels) }
        let keys = found.compactMap { found -> PurchaseKey? in
            guard case .purchase(let key, _) = found else { return nil }
            return key
        }.filter { name.means($0) }
        guard let key = keys.first else { throw Problem(BindRefusal.unknownPurchase) }
        guard keys.count == 1 else { throw Problem(PurchaseNameRefusal.ambiguousPurchase) }
        return key
    }
}
