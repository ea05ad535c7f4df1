/// The settings that say who may claim a purchase, beside the catalogue's ownership policies (`semantics.md` §5).
package struct ClaimRules: Hashable, Sendable {
    /// The users who may claim a purchase that nobody has and that carries no token of their own. The raw value is what
    /// the configuration writes.
    package enum Unclaimed: String, Hashable, Sendable, CaseIterable {
        case any
        case fresh24h = "fresh_24h"
        case proof
    }

    package let unclaimed: Unclaimed
    /// The cool-down in days: a purchase that came from another user does not move by policy before it is over.
    package let cooldownDays: Int
    /// The most purchases that may come to one user by policy within 365 days.
    package let transfersPerYear: Int
    /// True if an account token of the legacy form names the user with the id that it contains.
    package let decodesLegacyTokens: Bool

    package init(
        unclaimed: Unclaimed = .any, cooldownDays: Int = 30, transfersPerYear: Int = 3,
        decodesLegacyTokens: Bool = false
    ) {
        self.unclaimed = unclaimed
        self.cooldownDays = cooldownDays
        self.transfersPerYear = transfersPerYear
        self.decodesLegacyTokens = decodesLegacyTokens
    }

    static let freshness = Instant.millisecondsPerDay
    static let year = 365 * Instant.millisecondsPerDay

    var cooldown: Int64 { Pass.length(days: cooldownDays, quantity: 1) }
}
