import Entitlements
import Hummingbird

/// `GET /api/admin/catalog`: what is in force, and since when each version was.
enum CatalogRoute {
    /// - Throws: Nothing; the table wants the same form of all routes.
    static func respond(to call: ServerCall) async throws(Problem) -> Response {
        let versions = call.api.service.catalogue
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
    /// The members of a catalogue, into an object that is open.
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
        name("products")
        array(catalogue.products) { json, product in
            json.beginObject()
            json.member("product_id", product.id.text)
            json.member("app", product.app.text)
            json.member("source", product.source.rawValue)
            json.member("kind", product.terms.kind.rawValue)
            json.member("tier", product.terms.tier?.text)
            json.endObject()
        }
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
