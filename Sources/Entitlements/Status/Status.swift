/// The answer about a user at an instant: whether the user has access, from what, until when, and why (`api.md`,
/// "Status").
package struct Status: Hashable, Sendable {
    /// The state of access; the raw value is what the API writes.
    package enum State: String, Hashable, Sendable, CaseIterable {
        case active
        case grace
        case expired
        case none
    }

    package let user: UserID
    /// False for a user who has no ledger entry.
    package let isKnown: Bool
    /// The instant that the answer is about.
    package let at: Instant
    package let active: Bool
    /// The tier of the highest-ranking coverage at `at`; without coverage the default tier of the catalogue.
    package let tier: TierID?
    package let tierRank: Int?
    /// The end of coverage without a gap at `tierRank` or higher; without coverage at `at`, the end of the last
    /// coverage.
    package let expiresAt: Instant?
    /// The end of coverage without a gap at any rank; without coverage at `at`, the end of the last coverage.
    package let accessExpiresAt: Instant?
    package let state: State
    /// Nil if the user has had no coverage yet.
    package let deciding: DecidingPurchase?
    /// The features of all coverage at `at` and of active add-ons, in ascending order.
    package let features: [Feature]
    package let limits: [String: Int]
    /// An entitlement for each purchase, by anchor and then by id.
    package let entitlements: [Entitlement]
    /// The segments of coverage that count, past, running and planned, by start.
    package let segments: [Segment]
    package let addOns: [AddOn]
    package let credits: [CreditBalance]
    package let devices: DeviceSeats
    /// An introductory offer for each subscription group, by the group's name.
    package let introductoryOffers: [IntroductoryOffer]
    /// An explanation for each purchase, in the order of recording; empty unless it was asked for.
    package let explanation: [Explanation]
    /// The settings on which the answer depends.
    package let settings: EntitlementSettings
}
