/// Notes that a device was in use, which the order of keeping asks about (`semantics.md` §8).
///
/// A device that was recorded as seen less than an hour ago stays as it is while no other goes before it, and for a minute in any
/// case: of devices that are seen within one minute the order may be another.
package struct SeeDevice: Sendable {
    package let device: DeviceID
    package let user: UserID
    package let note: Note?

    package init(_ device: DeviceID, of user: UserID, note: Note? = nil) {
        self.device = device
        self.user = user
        self.note = note
    }

    package func decide(
        given history: PurchaseHistory, in catalogue: CatalogueVersions, under settings: EntitlementSettings
    ) -> Decision<Device, DeviceRefusal> {
        let devices = DevicesAtHand(of: user, given: history, in: catalogue, under: settings)
        guard let known = devices.roster[device] else { return Decision(answer: .failure(.unknownDevice)) }
        let passed = devices.at - known.lastSeenAt
        guard passed >= (devices.roster.follows(known) ? Self.shortInterval : Self.interval) else {
            return Decision(answer: .success(known))
        }
        return devices.decision(.seen, of: known, note: note)
    }

    private static let interval = Instant.millisecondsPerHour
    private static let shortInterval = Instant.millisecondsPerHour / 60
}
