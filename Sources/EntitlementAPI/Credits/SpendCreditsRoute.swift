package import Entitlements
import LedgerStore

/// `POST /api/credits/{unit}/spend`: spends units, once for each idempotency key of the user.
enum SpendCreditsRoute {
    private static let maximumReference = 255

    /// - Throws: `not_found`, `invalid_request`, the problem of the refusal, `rate_limited`, `unavailable`.
    static func answer(
        _ principal: Principal, _ body: JSONBody, _ call: some SignedCall
    ) async throws(Problem) -> JSONAnswer {
        let request = try call.creditDraw(in: body, of: principal.user)
        let reference = try body.required("reference") { name throws(Problem) in
            try body.text(name, characters: 1...maximumReference)
        }
        let reason = try principal.reason(in: body)
        let act = principal.spend(request, reference: reference, reason: reason, under: try call.labels())
        let told = try await call.perform(act, for: principal) { Problem($0) }
        return JSONAnswer(bytes: SpendReceiptBody(told.reply).bytes, isRepeat: told.isRepeat)
    }
}

/// The JSON body of a receipt: the units spent, the lots that they came from, and the rest of the balance.
package struct SpendReceiptBody {
    package let bytes: [UInt8]

    package init(_ receipt: SpendReceipt) {
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
