/// A user's devices as a decision about one of them finds them, under the lock on the user.
///
/// They include every earlier act, so two decisions made one after the other never count the same free seat.
struct LockedDevices {
    let user: UserID
    let roster: DeviceRoster
    /// When the act holds: not before the one recorded before it, whatever the clocks of two instances say.
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

    /// True if one more device may be active.
    var hasFreeSeat: Bool { roster.seats.active < roster.seats.allowed }

    /// Does `deed` to `device`, and answers with the device as it stands then.
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

/// Why a device is not put on record, or nothing is done to one, in order of precedence: more seats would not help a
/// user with too many devices.
package enum DeviceRefusal: Error, Hashable, Sendable {
    /// The user has no such device on record.
    case unknownDevice
    case tooManyDevices
    case seatLimitReached(DeviceSeats)
}
