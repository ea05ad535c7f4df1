import Entitlements
import Hummingbird
import LedgerStore

/// `POST /api/admin/users/{user_id}/transfer`: the rest of one purchase, or of all, goes to another user.
enum TransferRoute {
    /// - Throws: The fault of the request, then why nothing is transferred.
    static func answer(
        _ principal: Principal, _ body: JSONBody, _ call: ServerCall
    ) async throws(Problem) -> JSONAnswer {
        try body.requireObject()
        let receiver = try body.requiredUser("to_user_id")
        let reason = try body.requiredReason()
        let note = Note(actor: principal.actor?.text, reason: reason)
        let selection = try selection(in: body)
        let request = try call.nameForNew(body)
        let moved = try await call.recorded(
            for: principal, and: [receiver], everythingOf: principal.user,
            audit: principal.audit(.transfer, with: receiver, reason: reason),
            orElse: { (refusal: TransferRefusal) in Problem(refusal) }
        ) { history, context in
            Transfer(selection, from: principal.user, to: receiver, note: note, request: request, in: context).decide(
                given: history)
        }
        return JSONAnswer(bytes: MovedBody(moved, to: receiver).bytes)
    }

    /// A single purchase, or all; members that name one beside `all` are refused, for it would be moved with the rest.
    private static func selection(in body: JSONBody) throws(Problem) -> Transfer.Selection {
        guard try body.flag("all") ?? false else { return .one(try body.requiredPurchase()) }
        try body.refuse(["external_id", "source", "environment"], beside: "all")
        return .all
    }
}

/// The purchases that a transfer moved to the other user.
struct MovedBody {
    let bytes: [UInt8]

    init(_ keys: [PurchaseKey], to user: UserID) {
        var json = JSONWriter(capacity: 128 * (keys.count + 1))
        json.beginObject()
        json.member("to_user_id", user.text)
        json.name("transferred")
        json.array(keys) { json, key in
            json.beginObject()
            json.member("source", key.source.text)
            json.member("external_id", key.externalID.text)
            json.member("environment", key.environment.rawValue)
            json.endObject()
        }
        json.endObject()
        bytes = json.bytes
    }
}
