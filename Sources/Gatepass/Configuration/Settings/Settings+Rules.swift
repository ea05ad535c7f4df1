import Entitlements

extension Settings {
    /// `ownership`: who may claim a purchase, and how often it may be transferred (`semantics.md` §5).
    struct Ownership: Hashable, Sendable {
        let unclaimed: ClaimRules.Unclaimed
        let cooldownDays: Int
        let transfersPerYear: Int

        init(_ reader: inout SettingsReader) {
            unclaimed = reader.choice("ownership.unclaimed", default: .any)
            cooldownDays = reader.integer("ownership.cooldown_days", default: 30, in: 0...longestDays)
            transfersPerYear = reader.integer("ownership.transfers_per_year", default: 3, in: 0...1_000)
        }
    }

    /// `account_tokens`: the forms of `appAccountToken`.
    struct AccountTokens: Hashable, Sendable {
        /// True if a token of the old form is decoded to an integer user id.
        let legacyHexUserID: Bool

        init(_ reader: inout SettingsReader) {
            legacyHexUserID = reader.boolean("account_tokens.legacy_hex_user_id", default: false)
        }
    }

    /// The rules for claiming purchases.
    var claimRules: ClaimRules {
        ClaimRules(
            unclaimed: ownership.unclaimed, cooldownDays: ownership.cooldownDays,
            transfersPerYear: ownership.transfersPerYear, decodesLegacyTokens: accountTokens.legacyHexUserID)
    }

    /// `credits`: who may spend credits.
    struct Credits: Hashable, Sendable {
        /// True if users may spend and reserve with their own tokens. Servers always may.
        let userSpend: Bool

        init(_ reader: inout SettingsReader) {
            userSpend = reader.boolean("credits.user_spend", default: false)
        }
    }

    /// `devices`: seats (`semantics.md` §8).
    struct Devices: Hashable, Sendable {
        let seatGraceHours: Int

        init(_ reader: inout SettingsReader) {
            seatGraceHours = reader.integer("devices.seat_grace_hours", default: 24, in: 0...longestHours)
        }
    }

    /// `plans`: auto-renewing periods (`semantics.md` §7).
    struct Plans: Hashable, Sendable {
        let renewalLeewayHours: Int

        init(_ reader: inout SettingsReader) {
            renewalLeewayHours = reader.integer("plans.renewal_leeway_hours", default: 24, in: 0...longestHours)
        }
    }
}
