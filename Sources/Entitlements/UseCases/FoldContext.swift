/// The inputs of a fold other than the ledger.
package struct FoldContext: Sendable {
    package let catalogue: CatalogueVersions
    package let settings: EntitlementSettings

    package init(catalogue: CatalogueVersions, settings: EntitlementSettings) {
        self.catalogue = catalogue
        self.settings = settings
    }
}
