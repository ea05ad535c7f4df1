/// The rules of who may claim a purchase, beside the catalogue's policies (`semantics.md` §5).
package struct ClaimRules: Hashable, Sendable {
    /// The users who may claim a purchase that nobody owns and that carries no token of their own; the raw value is
    /// what the configuration writes.
    package enum Unclaimed: String, Hashable, Sendable, CaseIterable {
        case any
        case fresh24h = "fresh_24h"
        case proof
    }

    package let unclaimed: Unclaimed
    /// How long a purchase stays after any transfer before it may move by policy.
    package let cooldownDays: Int
    /// How many purchases may come to one user by policy within 365 days.
    package let transfersPerYear: Int
    /// True if an account token of the legacy form names the user whose id it is made of.
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
