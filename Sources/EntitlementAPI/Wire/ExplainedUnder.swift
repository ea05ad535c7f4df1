package import Entitlements

/// What is no fact and yet decides about an answer (`semantics.md` §1).
package struct ExplainedUnder {
    let settings: EntitlementSettings
    /// The version of the catalogue that was asked.
    let catalogVersion: Int

    package init(_ settings: EntitlementSettings, _ catalogue: CatalogueVersions) {
        self.settings = settings
        catalogVersion = catalogue.latest.number
    }
}

extension JSONWriter {
    /// Writes it as a member.
    mutating func member(explainedUnder: ExplainedUnder) {
        name("explained_under")
        beginObject()
        member("sandbox_access", explainedUnder.settings.sandboxAccess.rawValue)
        member("renewal_leeway_hours", explainedUnder.settings.renewalLeewayHours)
        member("seat_grace_hours", explainedUnder.settings.seatGraceHours)
        member("catalog_version", explainedUnder.catalogVersion)
        endObject()
    }
}
