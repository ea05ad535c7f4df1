package import Entitlements
package import LedgerStore

/// An operator's request for a grant, and its reason; over the API and at the command line alike.
package struct GrantRequest: Sendable {
    /// The kind of a grant; the raw value is what the API reads and writes.
    package enum Kind: String, CaseIterable, Sendable {
        case addDays = "add_days"
        case until
        case addOn = "add_on"
        case credits
    }

    private static let maximumText = 255

    package let offer: GiveGrant.Offer
    private let reason: String
    private let reference: String

    /// - Throws: `invalid_request`.
    init(_ body: JSONBody) throws(Problem) {
        try body.requireObject()
        offer = try Self.offer(in: body)
        reason = try body.requiredReason()
        reference = try Self.text("reference", in: body)
    }

    /// The request of a body that the command line wrote.
    ///
    /// - Throws: `invalid_request`.
    package init(_ json: JSONWriter) throws(Problem) {
        try self.init(try JSONBody(json.bytes))
    }

    /// The note beside the grant.
    package func note(by actor: Actor?) -> Note { Note(actor: actor?.text, reason: reason, reference: reference) }

    /// The audited act of the grant.
    package func audit(by actor: Actor, to user: UserID, as id: ExternalID) -> AuditedAct {
        AuditedAct(
            by: actor, .giveGrant, to: user,
            details: offer.auditDetails.merging(["grant_id": id.text, "reference": reference]) { _, own in own },
            reason: reason)
    }

    private static func offer(in body: JSONBody) throws(Problem) -> GiveGrant.Offer {
        let kind: Kind = try body.required("kind") { name throws(Problem) in try body.choice(name) }
        switch kind {
        case .addDays:
            let days = try body.required("days") { name throws(Problem) in
                try body.integer(name, in: 1...CatalogueCheck.maximumDays)
            }
            return .addDays(days, of: TierID(try text("tier", in: body)))
        case .until:
            let endsAt = try body.required("until") { name throws(Problem) in try body.instant(name) }
            return .until(endsAt, of: TierID(try text("tier", in: body)))
        case .addOn:
            let app = try body.text("app", characters: 1...maximumText)
            return .addOn(ProductID(try text("product_id", in: body)), app: app.map { AppID($0) })
        case .credits:
            let amount = try body.required("amount") { name throws(Problem) in
                try body.integer(name, in: 1...CatalogueCheck.maximumAmount)
            }
            return .credits(amount, unit: try text("unit", in: body), expiresAt: try body.instant("expires_at"))
        }
    }

    private static func text(_ name: String, in body: JSONBody) throws(Problem) -> String {
        try body.required(name) { name throws(Problem) in try body.text(name, characters: 1...maximumText) }
    }
}

extension GiveGrant.Offer {
    /// As the audit trail says what was given, by the names of the request's members.
    fileprivate var auditDetails: [String: String] {
        var details: [String: String]
        switch self {
        case .addDays(let days, let tier):
            details = ["kind": GrantRequest.Kind.addDays.rawValue, "tier": tier.text, "days": String(days)]
        case .until(let endsAt, let tier):
            details = ["kind": GrantRequest.Kind.until.rawValue, "tier": tier.text, "until": RFC3339.text(of: endsAt)]
        case .addOn(let product, let app):
            details = ["kind": GrantRequest.Kind.addOn.rawValue, "product_id": product.text]
            details["app"] = app?.text
        case .credits(let amount, let unit, let expiresAt):
            details = ["kind": GrantRequest.Kind.credits.rawValue, "unit": unit, "amount": String(amount)]
            details["expires_at"] = expiresAt.map { RFC3339.text(of: $0) }
        }
        return details
    }
}
