package import Entitlements

/// The settings of recording, apart from the catalogue: the server's settings, and the labels of the installation.
package struct LedgerSettings: Sendable {
    package let entitlements: EntitlementSettings
    /// Makes labels, such as those of the user ids in deliveries and of legacy account tokens.
    package let labels: Labels

    package init(entitlements: EntitlementSettings, labels: Labels) {
        self.entitlements = entitlements
        self.labels = labels
    }
}
