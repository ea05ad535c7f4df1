/// The words of people, in plain text: who did something and why, and the user's name for a device.
///
/// Notes are stored apart from the ledger, which holds only their digests, and no fold reads them. So a note can be
/// deleted without a change of any entry (`semantics.md` §5).
package struct Note: Hashable, Sendable {
    /// The most characters that a reason may have.
    package static let longestReason = 500

    /// The operator or server that acted, by its account or API key; nil if the user acted.
    package let actor: String?
    package let reason: String?
    /// The actor's reference, such as a ticket, an order or an outage.
    package let reference: String?
    /// The device that is registered, as the app names it.
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
