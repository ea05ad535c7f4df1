/// The devices of a user for a decision, read under the lock on the user.
///
/// Every earlier act is among them, so two decisions one after the other never give away the same free seat.
struct LockedDevices {
    let user: UserID
    let roster: DeviceRoster
    /// The instant from which the next act holds: `now`, but not before the last act, because the clocks of two
    /// instances may differ.
    let at: Instant

    init(
        of user: UserID, given history: PurchaseHistory, in catalogue: CatalogueVersions,
        under settings: EntitlementSettings
    ) {
        let ledger = history.ledgers[user] ?? UserLedger(user: user)
        let timeline = Timeline(folding: ledger, given: catalogue, settings: settings)
        self.user = user
        at = timeline.deviceActs.last.map { max(history.now, $0.at) } ?? history.now
        roster = timeline.devices(at: at)
    }

    /// True if there is a seat for one more active device.
    var hasFreeSeat: Bool { roster.seats.active < roster.seats.allowed }

    /// Returns the decision to do `deed` to `device`. Its answer is made from the device after the deed.
    func decision<Reply: Sendable>(
        _ deed: DeviceAct.Deed, of device: Device, note: Note?, answering reply: (Device) -> Reply
    ) -> Decision<Reply, DeviceRefusal> {
        let act = DeviceAct(device.id, deed)
        var after = roster
        after.apply(act, at: at)
        return Decision(
            drafts: [user: [LedgerEntry.Draft(.device(act), at: at, note: note)]],
            answer: .success(reply(after[device.id] ?? device)))
    }
}

/// The reason why a device is not registered or changed, in order of precedence. Too many devices come before too few
/// seats, because more seats would not help then.
package enum DeviceRefusal: Error, Hashable, Sendable {
    /// The user has no such device on record.
    case unknownDevice
    case tooManyDevices
    case seatLimitReached(DeviceSeats)
}
