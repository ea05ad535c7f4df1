/// Takes a device off the record; its seat is free at once (`semantics.md` §8).
///
/// A repeat is safe: a device that was removed before stays removed.
package struct RemoveDevice: Sendable {
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
    ) -> Decision<Void, DeviceRefusal> {
        let devices = LockedDevices(of: user, given: history, in: catalogue, under: settings)
        guard let known = devices.roster[device] else {
            return Decision(answer: devices.roster.wasRemoved(device) ? .success(()) : .failure(.unknownDevice))
        }
        return devices.decision(.removed, of: known, note: note) { _ in }
    }
}
