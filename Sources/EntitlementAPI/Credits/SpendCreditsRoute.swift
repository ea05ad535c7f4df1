import Entitlements
import LedgerStore

/// `POST /api/credits/{unit}/spend`: spends units, once for each idempotency key of the user.
enum SpendCreditsRoute {
    private static let maximumReference = 255

    /// - Throws: `not_found`, `invalid_request`, the problem of the refusal, `rate_limited`, `unavailable`.
    static func answer(
        _ principal: Principal, _ body: JSONBody, _ call: some SignedCall
    ) async throws(Problem) -> JSONAnswer {
        let request = try CreditRequest(body, of: principal.user, call)
        let reference = try body.required("reference") { name throws(Problem) in
            try body.text(name, characters: 1...maximumReference)
        }
        let reason = try principal.reason(in: body)
        let note = principal.note(reason: reason, reference: reference)
        let asked = request.label(of: "spend", reference, reason, under: try call.labels())
        let told = try await call.recorded(
            for: principal,
            audit: principal.audit(
                .spendCredits, reason: reason,
                ["unit": request.purse.unit, "amount": String(request.amount.units), "reference": reference]),
            orElse: { (refusal: DrawRefusal) in Problem(refusal) }
        ) { history, context in
            DrawCredits(
                request.amount, from: request.purse, of: principal.user, idempotencyKey: request.key, request: asked,
                note: note
            ).spend(given: history, in: context.catalogue, under: context.settings).tellingRepeats
        }
        return JSONAnswer(bytes: SpendReceiptBody(told.reply).bytes, isRepeat: told.isRepeat)
    }
}

/// The JSON body of a receipt: the units spent, the lots that they came from, and the rest of the balance.
struct SpendReceiptBody {
    let bytes: [UInt8]

    init(_ receipt: SpendReceipt) {
        var json = JSONWriter(capacity: 256)
        json.beginObject()
        json.member("spent", receipt.spent)
        json.name("lots")
        json.array(receipt.draws) { json, draw in
            json.beginObject()
            json.member("external_id", draw.lot.externalID.text)
            json.member("amount", draw.amount)
            json.endObject()
        }
        json.member("spendable", receipt.spendable)
        json.member("debt", receipt.debt)
        json.endObject()
        bytes = json.bytes
    }
}
