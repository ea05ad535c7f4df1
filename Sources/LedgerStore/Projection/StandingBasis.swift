package import Entitlements

/// The form in which a status is stored and sent. The API hands it in, because this module knows no JSON of the API.
package struct StandingFormat: Sendable {
    /// The number of the answer's form, which grows whenever the same ledger gets another answer.
    let number: UInt32
    let write: @Sendable (Status) -> StandingAnswer

    package init(number: UInt32, write: @escaping @Sendable (Status) -> StandingAnswer) {
        self.number = number
        self.write = write
    }
}

/// The part of a status answer that stays the same while a standing holds, and its entity tag.
package struct StandingAnswer: Hashable, Sendable {
    /// The bytes behind the member `at`.
    package let substance: [UInt8]
    package let entityTag: String
    /// False for a user who has no ledger entry. Such an answer is never stored.
    package let isKnown: Bool

    package init(substance: [UInt8], entityTag: String, isKnown: Bool = true) {
        self.substance = substance
        self.entityTag = entityTag
        self.isKnown = isKnown
    }
}

/// The things that an answer depends on beside the ledger and the time.
struct StandingBasis: Hashable, Sendable {
    /// The number of the answer's form, above the number of the newest catalogue version. An answer never takes the
    /// place of one with a larger number.
    let number: UInt64
    /// The settings of the instance that made the answer.
    let settings: String

    init(number: UInt64, settings: String) {
        self.number = number
        self.settings = settings
    }

    init(_ format: StandingFormat, _ catalogue: CatalogueVersions, _ settings: EntitlementSettings) {
        number = UInt64(format.number) << 32 + UInt64(catalogue.latest.number)
        self.settings =
            "\(settings.sandboxAccess.rawValue),\(settings.renewalLeewayHours),\(settings.seatGraceHours)"
    }
}

/// The rows of standings that have to be made anew.
package struct OverdueStandings: Hashable, Sendable {
    /// The number of rows whose time is over.
    package let ended: Int
    /// The number of rows of an older catalogue version or form.
    package let outdated: Int
    /// The number of all of them.
    package var count: Int { ended + outdated }
    /// The instant at which the time of the first ended row was over; nil if there is none.
    package let since: Instant?
}
