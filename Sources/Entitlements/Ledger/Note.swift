/// Who did something and why, and what the user calls a device: words of people, in plain.
///
/// Notes stand apart from the ledger, which holds their digests, and no fold reads them: they can be deleted
/// and every entry stays as it is (`semantics.md` §5).
package struct Note: Hashable, Sendable {
    /// A staff account or an API key; nil for the user.
    package let actor: String?
    package let reason: String?
    /// What the actor calls it: a ticket, an order, an outage.
    package let reference: String?
    /// Of a registration: the device, as the app names it.
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
