package import Entitlements

/// The settings on which an answer depends beside the facts (`semantics.md` §1, *Settings are not facts*).
package struct ExplainedUnder {
    let settings: EntitlementSettings
    /// The number of the newest catalogue version.
    let catalogVersion: Int

    package init(_ settings: EntitlementSettings, _ catalogue: CatalogueVersions) {
        self.settings = settings
        catalogVersion = catalogue.latest.number
    }
}

/// The explanation of an answer: a page of acts, the ids of their devices, and the settings.
struct AnswerExplanation {
    let acts: ExplainedFact.Page
    let devices: DeviceNames
    let under: ExplainedUnder
}

extension JSONWriter {
    /// Writes the members that stand once in an explained answer: the cursor of further acts, and the settings.
    mutating func member(endOf explanation: AnswerExplanation) {
        member("next_acts_cursor", ActsRequest.cursor(behind: explanation.acts))
        member(explainedUnder: explanation.under)
    }

    private mutating func member(explainedUnder: ExplainedUnder) {
        name("explained_under")
        beginObject()
        member("sandbox_access", explainedUnder.settings.sandboxAccess.rawValue)
        member("renewal_leeway_hours", explainedUnder.settings.renewalLeewayHours)
        member("seat_grace_hours", explainedUnder.settings.seatGraceHours)
        member("catalog_version", explainedUnder.catalogVersion)
        endObject()
    }
}
