/// The one answer: does this person have access, from what, until when, and why (`api.md`, "Status").
package struct Status: Hashable, Sendable {
    /// The raw value is what the API writes.
    package enum State: String, Hashable, Sendable {
        case active
        case grace
        case expired
        case none
    }

    package let user: UserID
    /// The instant that the answer is about.
    package let at: Instant
    package let active: Bool
    /// The highest-ranking coverage at `at`; without coverage the catalogue's default tier.
    package let tier: TierID?
    package let tierRank: Int?
    /// The end of gap-free coverage at `tierRank` or higher; without coverage the end of the last one.
    package let expiresAt: Instant?
    /// The end of gap-free coverage at any rank; without coverage the end of the last one.
    package let accessExpiresAt: Instant?
    package let state: State
    /// Nil if nothing has covered yet.
    package let decisive: Decisive?
    /// The features of all coverage now and of active add-ons, in ascending order.
    package let features: [Feature]
    package let limits: [String: Int]
    /// An entitlement for each purchase, by anchor and then by id.
    package let entitlements: [Entitlement]
    /// The pieces of all lanes in order: past, running and planned.
    package let segments: [Segment]
    package let addOns: [AddOn]
    package let credits: [CreditBalance]
    package let devices: DeviceSeats
    /// An explanation for each purchase, in the order of recording; empty where nobody asks why.
    package let explanation: [Explanation]
    /// The settings by which the answer was made.
    package let settings: EntitlementSettings

    package init(
        user: UserID, at: Instant, active: Bool, tier: TierID?, tierRank: Int?, expiresAt: Instant?,
        accessExpiresAt: Instant?, state: State, decisive: Decisive?, features: [Feature],
        limits: [String: Int], entitlements: [Entitlement], segments: [Segment], addOns: [AddOn],
        credits: [CreditBalance],
        devices: DeviceSeats, explanation: [Explanation], settings: EntitlementSettings
    ) {
        self.user = user
        self.at = at
        self.active = active
        self.tier = tier
        self.tierRank = tierRank
        self.expiresAt = expiresAt
        self.accessExpiresAt = accessExpiresAt
        self.state = state
        self.decisive = decisive
        self.features = features
        self.limits = limits
        self.entitlements = entitlements
        self.segments = segments
        self.addOns = addOns
        self.credits = credits
        self.devices = devices
        self.explanation = explanation
        self.settings = settings
    }
}
