import Entitlements
import Hummingbird
import LedgerStore

/// `POST /api/admin/users/{user_id}/make-good`: a pass that had run out before it was attached is given again, from
/// now.
enum MakeGoodRoute {
    private static let maximumReference = 255

    /// - Throws: The fault of the request, then why nothing is made good.
    static func answer(
        _ principal: Principal, _ body: JSONBody, _ call: ServerCall
    ) async throws(Problem) -> JSONAnswer {
        let act = try PurchaseAct(body)
        let reference = try body.required("reference") { name throws(Problem) in
            try body.text(name, characters: 1...maximumReference)
        }
        let note = act.note(by: principal, reference: reference)
        let key = try await call.purchase(act.name, of: principal)
        let id = nameForGood(key, under: try call.labels())
        let grant = try await call.recorded(
            for: principal, keys: [Grant.key(id)],
            audit: principal.audit(.giveGrant, reason: act.reason, ["grant_id": id.text, "reference": reference]),
            orElse: { (refusal: MakeGoodRefusal) in Problem(refusal) }
        ) { history, context in
            MakeGood(key, of: principal.user, as: id, note: note, in: context).decide(given: history)
        }
        return JSONAnswer(status: .created, bytes: GrantBody(grant).bytes)
    }

    /// The name of the grant that makes a purchase good; it is the same for every owner.
    static func nameForGood(_ key: PurchaseKey, under labels: Labels) -> ExternalID {
        ExternalID(
            labels.label(
                .reference, "make good", key.source.text, key.app.text, key.environment.rawValue, key.externalID.text
            ).text)
    }
}
