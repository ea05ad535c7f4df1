import Entitlements
import Hummingbird

/// `GET /api/admin/catalog`: the newest catalogue, and the numbers and dates of all versions.
enum CatalogueRoute {
    /// - Throws: Nothing. The URL table requires the same signature of all routes.
    static func respond(to call: ServerCall) async throws(Problem) -> Response {
        let versions = call.api.catalogue
        var json = JSONWriter(capacity: 4096)
        json.beginObject()
        json.member("catalog_version", versions.latest.number)
        json.name("versions")
        json.array(versions.versions.reversed()) { json, version in
            json.beginObject()
            json.member("catalog_version", version.number)
            json.member("effective_at", exactly: "effective_at_ms", version.effectiveAt)
            json.endObject()
        }
        json.append(versions.latest.catalogue)
        json.endObject()
        return .json(json.bytes)
    }
}

extension JSONWriter {
    /// Writes the members of a catalogue into an object that has been begun.
    fileprivate mutating func append(_ catalogue: Catalogue) {
        name("apps")
        array(catalogue.apps) { json, app in
            json.beginObject()
            json.member("bundle_id", app.id.text)
            json.member("app_apple_id", app.appleID.map { String($0) })
            json.endObject()
        }
        member("default_tier", catalogue.defaultTier?.text)
        name("lanes")
        array(catalogue.lanes) { json, lane in
            json.beginObject()
            json.member("id", lane.id.text)
            json.member("under_higher_window", lane.underHigherWindow.rawValue)
            json.endObject()
        }
        name("tiers")
        array(catalogue.tiers) { $0.append($1) }
        name("ownership")
        beginObject()
        for kind in ProductKind.allCases {
            name(kind.rawValue)
            value(catalogue.ownership[kind].rawValue)
        }
        endObject()
        name("products")
        array(catalogue.products) { $0.append($1) }
    }

    private mutating func append(_ product: Product) {
        let terms = StatedTerms(product.terms)
        beginObject()
        member("product_id", product.id.text)
        member("app", product.app.text)
        member("source", product.source.text)
        member("kind", product.terms.kind.rawValue)
        member("tier", product.terms.tier?.text)
        member("duration_days", terms.durationDays)
        member("sandbox_duration_seconds", terms.sandboxSeconds)
        name("features")
        array(terms.features) { $0.value($1.text) }
        member("requires_tier", terms.requires?.text)
        member("devices", terms.seats ?? product.seats)
        member("unit", terms.unit)
        member("amount", terms.amount)
        member("on_shortfall", terms.onShortfall?.rawValue)
        member("plan_id", terms.planID)
        member("family_shareable", terms.familyShareable)
        member("subscription_group", product.subscriptionGroup)
        endObject()
    }

    private mutating func append(_ tier: Tier) {
        beginObject()
        member("id", tier.id.text)
        member("lane", tier.lane.text)
        member("rank", tier.rank)
        name("features")
        array(tier.features) { $0.value($1.text) }
        name("limits")
        beginObject()
        for (limit, value) in tier.limits.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            name(limit)
            self.value(value)
        }
        endObject()
        member("devices", tier.devices)
        endObject()
    }
}

/// The terms of a product of any kind; nil or empty where its kind has no such term.
private struct StatedTerms {
    var durationDays: Int?
    var sandboxSeconds: Int?
    /// The features of an add-on; a pass or plan has those of its tier.
    var features: [Feature] = []
    var requires: TierID?
    /// The seats of an add-on; those of a pass or plan are in ``Product/seats``.
    var seats: Int?
    var unit: String?
    var amount: Int?
    var onShortfall: Terms.OnShortfall?
    var planID: String?
    var familyShareable: Bool?

    init(_ terms: Terms) {
        switch terms {
        case .pass(_, let days, let sandboxMinutes):
            (durationDays, sandboxSeconds) = (days, sandboxMinutes.map { $0 * 60 })
        case .addOn(let features, let requires, let seats, let familyShareable):
            (self.features, self.requires, self.familyShareable) = (features, requires, familyShareable)
            self.seats = seats > 0 ? seats : nil
        case .consumable(let unit, let amount, let onShortfall):
            (self.unit, self.amount, self.onShortfall) = (unit, amount, onShortfall)
        case .plan(_, let planID, let familyShareable):
            (self.planID, self.familyShareable) = (planID, familyShareable)
        }
    }
}
