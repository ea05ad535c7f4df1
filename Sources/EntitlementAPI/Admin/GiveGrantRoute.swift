package import Entitlements
import Hummingbird
import LedgerStore

/// `POST /api/admin/users/{user_id}/grants`: an operator gives time, an add-on or credits.
enum GiveGrantRoute {
    /// - Throws: The fault of the request, then why nothing is granted.
    static func answer(
        _ principal: Principal, _ body: JSONBody, _ call: ServerCall
    ) async throws(Problem) -> JSONAnswer {
        let request = try GrantRequest(body)
        let note = request.note(by: principal.actor)
        let id = ExternalID(try call.nameForNew(body).text)
        let grant = try await call.recorded(
            for: principal, keys: [Grant.key(id)],
            audit: principal.actor.map { request.audit(by: $0, to: principal.user, as: id) },
            orElse: { (refusal: GrantRefusal) in Problem(refusal, of: request.offer) }
        ) { history, context in
            GiveGrant(request.offer, as: id, to: principal.user, note: note, from: context.catalogue).decide(
                given: history)
        }
        return JSONAnswer(status: .created, bytes: GrantBody(grant).bytes)
    }
}

/// A grant as it was given.
package struct GrantBody {
    package let bytes: [UInt8]

    package init(_ grant: Grant) {
        var json = JSONWriter(capacity: 384)
        json.beginObject()
        json.member("id", grant.key.externalID.text)
        json.append(grant.gift)
        json.member("granted_at", exactly: "granted_at_ms", grant.grantedAt)
        json.endObject()
        bytes = json.bytes
    }
}

extension JSONWriter {
    /// The members of a gift, into an object that is open.
    fileprivate mutating func append(_ gift: Grant.Gift) {
        switch gift {
        case .pass(let tier, let length):
            member("kind", GrantRequest.Kind.addDays.rawValue)
            member("tier", tier.text)
            member("days", Int(length / Instant.millisecondsPerDay))
        case .window(let tier, let endsAt):
            member("kind", GrantRequest.Kind.until.rawValue)
            member("tier", tier.text)
            member("until", exactly: "until_ms", endsAt)
        case .addOn(let product, let app):
            member("kind", GrantRequest.Kind.addOn.rawValue)
            member("product_id", product.text)
            member("app", app.text)
        case .credits(let unit, let amount, let expiresAt):
            member("kind", GrantRequest.Kind.credits.rawValue)
            member("unit", unit)
            member("amount", amount)
            member("expires_at", exactly: "expires_at_ms", expiresAt)
        }
    }
}
