@testable import Entitlements

extension Timeline {
    /// What a client is told at `instant` without the instant: what lasts until the next change.
    func lasting(at instant: Instant) -> Status {
        let status = status(at: instant)
        return Status(
            user: status.user, isKnown: status.isKnown, at: .distantPast, active: status.active, tier: status.tier,
            tierRank: status.tierRank, expiresAt: status.expiresAt, accessExpiresAt: status.accessExpiresAt,
            state: status.state,
            deciding: status.deciding, features: status.features, limits: status.limits,
            entitlements: status.entitlements,
            segments: status.segments.filter { $0.endsAt > instant }, addOns: status.addOns, credits: status.credits,
            devices: status.devices, introductoryOffers: status.introductoryOffers, explanation: [],
            settings: status.settings)
    }
}
