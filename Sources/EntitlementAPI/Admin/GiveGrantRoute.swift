import Entitlements
import Hummingbird
import LedgerStore

/// `POST /api/admin/users/{user_id}/grants`: an operator gives time, an add-on or credits.
enum GiveGrantRoute {
    /// What is given; the raw value is what the API reads and writes.
    enum Kind: String, CaseIterable {
        case addDays = "add_days"
        case until
        case addOn = "add_on"
        case credits
    }

    private static let maximumReference = 255
    private static let maximumName = 255

    /// - Throws: What is wrong with the request, then why nothing is granted.
    static func answer(
        _ acting: Acting, _ body: JSONBody, _ call: ServerCall
    ) async throws(Problem) -> JSONAnswer {
        try body.requireObject()
        let offer = try offer(in: body)
        let reason = try body.requiredReason()
        let reference = try text("reference", in: body)
        let note = Note(actor: acting.actor?.text, reason: reason, reference: reference)
        let id = ExternalID(try call.nameForNew(body))
        let grant = try await call.recorded(
            for: acting, keys: [Grant.key(id)],
            audit: acting.audit(.giveGrant, reason: reason, ["grant_id": id.text, "reference": reference]),
            orElse: { (refusal: GrantRefusal) in Problem(refusal, of: offer) }
        ) { history, context in
            GiveGrant(offer, as: id, to: acting.user, note: note, from: context.catalogue).decide(given: history)
        }
        return JSONAnswer(status: .created, bytes: GrantBody(grant).bytes)
    }

    private static func offer(in body: JSONBody) throws(Problem) -> GiveGrant.Offer {
        let kind: Kind = try body.required("kind") { name throws(Problem) in try body.choice(name) }
        switch kind {
        case .addDays:
            let days = try body.required("days") { name throws(Problem) in try body.integer(name, in: 1...Int.max) }
            return .addDays(days, of: TierID(try text("tier", in: body)))
        case .until:
            let endsAt = try body.required("until") { name throws(Problem) in try body.instant(name) }
            return .until(endsAt, of: TierID(try text("tier", in: body)))
        case .addOn:
            let app = try body.text("app", characters: 1...maximumName)
            return .addOn(ProductID(try text("product_id", in: body)), app: app.map { AppID($0) })
        case .credits:
            let amount = try body.required("amount") { name throws(Problem) in try body.integer(name, in: 1...Int.max) }
            return .credits(amount, unit: try text("unit", in: body), expiresAt: try body.instant("expires_at"))
        }
    }

    private static func text(_ name: String, in body: JSONBody) throws(Problem) -> String {
        try body.required(name) { name throws(Problem) in try body.text(name, characters: 1...maximumName) }
    }
}

/// A grant as it was given.
struct GrantBody {
    let bytes: [UInt8]

    init(_ grant: Grant) {
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
            member("kind", GiveGrantRoute.Kind.addDays.rawValue)
            member("tier", tier.text)
            member("days", Int(length / Instant.millisecondsPerDay))
        case .window(let tier, let endsAt):
            member("kind", GiveGrantRoute.Kind.until.rawValue)
            member("tier", tier.text)
            member("until", exactly: "until_ms", endsAt)
        case .addOn(let product, let app):
            member("kind", GiveGrantRoute.Kind.addOn.rawValue)
            member("product_id", product.text)
            member("app", app.text)
        case .credits(let unit, let amount, let expiresAt):
            member("kind", GiveGrantRoute.Kind.credits.rawValue)
            member("unit", unit)
            member("amount", amount)
            member("expires_at", exactly: "expires_at_ms", expiresAt)
        }
    }
}
