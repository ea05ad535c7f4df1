package import Entitlements

/// An operator's request for a grant, with reason and reference, as the API and the command line read it.
package struct GrantRequest: Sendable {
    /// The kind of a grant. The raw value is the member `kind` in the API.
    package enum Kind: String, CaseIterable, Sendable {
        case addDays = "add_days"
        case until
        case addOn = "add_on"
        case credits
    }

    package let offer: OperatorAct.Offer
    package let reason: String
    package let reference: String

    /// - Throws: `invalid_request`.
    init(_ body: JSONBody) throws(Problem) {
        offer = try Self.offer(in: body)
        reason = try body.requiredReason()
        reference = try body.requiredText("reference")
    }

    /// Reads the JSON that the command line made of its arguments.
    ///
    /// - Throws: `invalid_request`.
    package init(json: [UInt8]) throws(Problem) {
        try self.init(try JSONBody(json))
    }

    private static func offer(in body: JSONBody) throws(Problem) -> OperatorAct.Offer {
        let kind: Kind = try body.required("kind") { name throws(Problem) in try body.choice(name) }
        switch kind {
        case .addDays:
            let days = try body.required("days") { name throws(Problem) in
                try body.integer(name, in: 1...CatalogueCheck.maximumDays)
            }
            return .addDays(days, of: TierID(try body.requiredText("tier")))
        case .until:
            let endsAt = try body.required("until") { name throws(Problem) in try body.instant(name) }
            return .until(endsAt, of: TierID(try body.requiredText("tier")))
        case .addOn:
            let app = try body.text("app", characters: 1...255)
            return .addOn(ProductID(try body.requiredText("product_id")), app: app.map { AppID($0) })
        case .credits:
            let amount = try body.required("amount") { name throws(Problem) in
                try body.integer(name, in: 1...CatalogueCheck.maximumAmount)
            }
            return .credits(
                amount, unit: try body.requiredText("unit"), expiresAt: try body.instant("expires_at"))
        }
    }
}

extension OperatorAct.Offer {
    /// The details of the grant for its entry in the audit trail, under the names of the request's members.
    package func auditDetails(as id: ExternalID, reference: String) -> [String: String] {
        var details = ["grant_id": id.text, "reference": reference]
        switch self {
        case .addDays(let days, let tier):
            details["kind"] = GrantRequest.Kind.addDays.rawValue
            details["tier"] = tier.text
            details["days"] = String(days)
        case .until(let endsAt, let tier):
            details["kind"] = GrantRequest.Kind.until.rawValue
            details["tier"] = tier.text
            details["until"] = RFC3339.text(of: endsAt)
        case .addOn(let product, let app):
            details["kind"] = GrantRequest.Kind.addOn.rawValue
            details["product_id"] = product.text
            details["app"] = app?.text
        case .credits(let amount, let unit, let expiresAt):
            details["kind"] = GrantRequest.Kind.credits.rawValue
            details["unit"] = unit
            details["amount"] = String(amount)
            details["expires_at"] = expiresAt.map { RFC3339.text(of: $0) }
        case .latePass, .outage: break
        }
        return details
    }
}
