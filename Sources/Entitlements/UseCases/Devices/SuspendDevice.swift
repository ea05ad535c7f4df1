/// Takes a device's seat by the user's wish (`semantics.md` §8).
///
/// A device that the limit suspended is then suspended by the user, and no longer returns by itself.
package struct SuspendDevice: Sendable {
    package let device: Label
    package let user: UserID
    package let note: Note?

    package init(_ device: Label, of user: UserID, note: Note? = nil) {
        self.device = device
        self.user = user
        self.note = note
    }

    package func decide(
        given history: PurchaseHistory, in catalogue: CatalogueVersions, under settings: EntitlementSettings
    ) -> Decision<Device, DeviceRefusal> {
        let devices = LockedDevices(of: user, given: history, in: catalogue, under: settings)
        guard let known = devices.roster[device] else { return Decision(answer: .failure(.unknownDevice)) }
        guard known.state != .suspended(by: .user) else { return Decision(answer: .success(known)) }
        return devices.decision(.suspended, of: known, note: note)
    }
}
