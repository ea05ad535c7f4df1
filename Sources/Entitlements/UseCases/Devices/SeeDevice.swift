/// Notes that a device was in use, which the order of keeping asks about (`semantics.md` §8).
///
/// The sight is recorded where it puts the device before another one, a minute after the last time at the earliest, and else
/// once a day, so that people see that it is in use; at most ``dailyLimit`` times a day for all devices of a user.
package struct SeeDevice: Sendable {
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
        let interval = devices.roster.follows(known) ? Self.shortInterval : Self.interval
        let dayBefore = history.now + -Instant.millisecondsPerDay
        guard devices.at - known.lastSeenAt >= interval,
            history.ledger(of: user).sightings(after: dayBefore) < Self.dailyLimit
        else { return Decision(answer: .success(known)) }
        return devices.decision(.seen, of: known, note: note)
    }

    package static let dailyLimit = 200
    private static let interval = Instant.millisecondsPerDay
    private static let shortInterval = Instant.millisecondsPerHour / 60
}

extension UserLedger {
    /// How many times devices were recorded as seen after `instant`.
    fileprivate func sightings(after instant: Instant) -> Int {
        entries.reversed().prefix { $0.recordedAt > instant }.count { entry in
            guard case .device(let act) = entry.fact else { return false }
            return act.deed == .seen
        }
    }
}
