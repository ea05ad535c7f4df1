/// Words of people, in plain: who did something and why, and the user's name for a device.
///
/// Notes stand apart from the ledger, which holds their digests, and no fold reads them: they can be deleted
/// and every entry stays as it is (`semantics.md` §5).
package struct Note: Hashable, Sendable {
    /// How many characters a reason may have.
    package static let longestReason = 500

    /// A staff account or an API key; nil for the user.
    package let actor: String?
    package let reason: String?
    /// The actor's reference: a ticket, an order, an outage.
    package let reference: String?
    /// The device of a registration, as the app names it.
    package let device: DeviceID?
    package let deviceName: DeviceName?

    package init(
        actor: String?, reason: String? = nil, reference: String? = nil, device: DeviceID? = nil,
        deviceName: DeviceName? = nil
    ) {
        self.actor = actor
        self.reason = reason
        self.reference = reference
        self.device = device
        self.deviceName = deviceName
    }
}
