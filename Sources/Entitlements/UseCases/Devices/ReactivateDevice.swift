/// Gives a suspended device a seat again (`semantics.md` §8). Of an active one nothing changes.
package struct ReactivateDevice: Sendable {
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
    ) -> Decision<Device, ReactivateDeviceRefusal> {
        let devices = LockedDevices(of: user, given: history, in: catalogue, under: settings)
        guard let known = devices.roster[device] else { return Decision(answer: .failure(.unknownDevice)) }
        guard known.state != .active else { return Decision(answer: .success(known)) }
        guard devices.hasFreeSeat else { return Decision(answer: .failure(.seatLimitReached(devices.roster.seats))) }
        return devices.decision(.reactivated, of: known, note: note)
    }
}

/// Why a device gets no seat, in order of precedence.
package enum ReactivateDeviceRefusal: Error, Hashable, Sendable {
    /// The user has no such device on record.
    case unknownDevice
    case seatLimitReached(DeviceSeats)
}
