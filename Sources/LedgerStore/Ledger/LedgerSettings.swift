package import Entitlements

/// The server's settings that recording depends on.
package struct LedgerSettings: Sendable {
    package let entitlements: EntitlementSettings
    /// Whether a token of the form `%08x-0000-0000-0000-000000000000` names the user of that number (`semantics.md` §5).
    package let decodesLegacyTokens: Bool
    /// What recognizes the tokens and Apple accounts of erased people.
    package let tombstoneKey: TombstoneKey

    package init(entitlements: EntitlementSettings, decodesLegacyTokens: Bool = false, tombstoneKey: TombstoneKey) {
        self.entitlements = entitlements
        self.decodesLegacyTokens = decodesLegacyTokens
        self.tombstoneKey = tombstoneKey
    }
}
