/// Does something to a device that is on record (`semantics.md` §8). A repeat is safe.
package struct ChangeDevice: Sendable {
    /// The change of a device.
    package enum Change: Sendable {
        /// A suspended device gets a seat again. Of an active one nothing changes.
        case reactivate
        /// The user's wish takes its seat. A device that the limit suspended no longer returns by itself.
        case suspend
        /// The device was in use, which the order of keeping asks about.
        ///
        /// The sight is recorded where it puts the device before another one, a minute after the last time at the
        /// earliest. Else it is recorded once a day, so that people see that the device is in use. For all devices of a
        /// user it is recorded at most ``dailyLimit`` times a day.
        case see
        /// The device leaves the record, and its seat is free at once. A device that was removed before stays removed.
        case remove
    }

    package let change: Change
    package let device: Label
    package let user: UserID
    package let note: Note?

    package init(_ change: Change, of device: Label, of user: UserID, note: Note? = nil) {
        self.change = change
        self.device = device
        self.user = user
        self.note = note
    }

    /// Answers with the device as it stands then; nil for one that was removed before.
    package func decide(
        given history: PurchaseHistory, in catalogue: CatalogueVersions, under settings: EntitlementSettings
    ) -> Decision<Device?, DeviceRefusal> {
        let devices = LockedDevices(of: user, given: history, in: catalogue, under: settings)
        guard let known = devices.roster[device] else {
            let isRemoved = change == .remove && devices.roster.wasRemoved(device)
            return Decision(answer: isRemoved ? .success(nil) : .failure(.unknownDevice))
        }
        let deed: DeviceAct.Deed
        switch change {
        case .reactivate:
            guard known.state != .active else { return Decision(answer: .success(known)) }
            guard devices.hasFreeSeat else {
                return Decision(answer: .failure(.seatLimitReached(devices.roster.seats)))
            }
            deed = .reactivated
        case .suspend:
            guard known.state != .suspended(by: .user) else { return Decision(answer: .success(known)) }
            deed = .suspended
        case .see:
            let interval = devices.roster.follows(known) ? Self.shortInterval : Self.interval
            let dayBefore = history.now + -Instant.millisecondsPerDay
            guard devices.at - known.lastSeenAt >= interval,
                history.ledger(of: user).sightings(after: dayBefore) < Self.dailyLimit
            else { return Decision(answer: .success(known)) }
            deed = .seen
        case .remove: deed = .removed
        }
        return devices.decision(deed, of: known, note: note) { $0 }
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
