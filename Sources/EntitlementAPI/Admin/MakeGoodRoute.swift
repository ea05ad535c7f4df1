import Entitlements
import Hummingbird
import LedgerStore

/// `POST /api/admin/users/{user_id}/make-good`: a pass that had run out before it was attached is given again, from now.
enum MakeGoodRoute {
    private static let maximumReference = 255

    /// - Throws: What is wrong with the request, then why nothing is made good.
    static func answer(
        _ acting: Acting, _ body: JSONBody, _ call: ServerCall
    ) async throws(Problem) -> JSONAnswer {
        let act = try PurchaseAct(body)
        let reference = try body.required("reference") { name throws(Problem) in
            try body.text(name, characters: 1...maximumReference)
        }
        let note = act.note(by: acting, reference: reference)
        let key = try await call.purchase(act.name, of: acting)
        let id = nameForGood(key, under: try call.labels())
        let grant = try await call.recorded(
            for: acting, keys: [Grant.key(id)],
            audit: acting.audit(.giveGrant, reason: act.reason, ["grant_id": id.text, "reference": reference]),
            orElse: { (refusal: MakeGoodRefusal) in Problem(refusal) }
        ) { history, context in
            MakeGood(key, of: acting.user, as: id, note: note, in: context).decide(given: history)
        }
        return JSONAnswer(status: .created, bytes: GrantBody(grant).bytes)
    }

    /// The name of what makes a purchase good, whoever has it.
    static func nameForGood(_ key: PurchaseKey, under labels: Labels) -> ExternalID {
        ExternalID(
            labels.label(
                .reference, "make good", key.source.text, key.app.text, key.environment.rawValue, key.externalID.text
            ).text)
    }
}
