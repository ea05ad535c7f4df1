package import Entitlements

/// The settings of recording beside the catalogue: the server's, and the labels of the installation.
package struct LedgerSettings: Sendable {
    package let entitlements: EntitlementSettings
    /// Makes the labels of user ids that are numbers, as tokens of the legacy form name them.
    package let labels: Labels

    package init(entitlements: EntitlementSettings, labels: Labels) {
        self.entitlements = entitlements
        self.labels = labels
    }
}
