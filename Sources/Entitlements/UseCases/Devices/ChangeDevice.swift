/// Changes a device that is on record: its seat, when it was last seen, or whether it is on record at all
/// (`semantics.md` §8). A repeat is safe.
package struct ChangeDevice: Sendable {
    /// The change to make.
    package enum Change: Sendable {
        /// Gives a suspended device a seat again. An active device does not change.
        case reactivate
        /// Takes the seat from a device by the user's wish. If the limit had suspended the device, it no longer returns
        /// by itself.
        case suspend
        /// Records that the device was in use, which moves it up in the order that decides who keeps a seat.
        ///
        /// If the device moves before another one, this is recorded at most once a minute, else at most once a day. For
        /// all devices of a user it is recorded at most ``dailyLimit`` times in 24 hours.
        case see
        /// Removes the device from the record, so that its seat is free at once. A device that was removed before stays
        /// removed.
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

    /// Decides on the change. The answer is the device after it; nil for a device that was removed before.
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
    /// Returns how many times a device of the user was recorded as seen after `instant`.
    fileprivate func sightings(after instant: Instant) -> Int {
        entries.reversed().prefix { $0.recordedAt > instant }.count { entry in
            guard case .device(let act) = entry.fact else { return false }
            return act.deed == .seen
        }
    }
}
