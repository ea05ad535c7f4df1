package import Entitlements

/// The settings, which are no facts and yet decide about an answer (`semantics.md` §1).
package struct ExplainedUnder {
    let settings: EntitlementSettings
    /// The version of the catalogue that was asked.
    let catalogVersion: Int

    package init(_ settings: EntitlementSettings, _ catalogue: CatalogueVersions) {
        self.settings = settings
        catalogVersion = catalogue.latest.number
    }
}

/// The explanation of an answer: its facts, and the rules that decide.
struct AnswerExplanation {
    let acts: ExplainedFact.Page
    let devices: DeviceNames
    let under: ExplainedUnder
}

extension JSONWriter {
    /// Writes what stands once in an explained answer: where further acts are, and what decides beside facts.
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
