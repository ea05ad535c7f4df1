/// Registers a device and gives it a seat, or changes the name and pin of a device on record (`semantics.md` §8).
///
/// A repeat is safe, and records nothing unless the name or the pin changes. It neither gives a suspended device a seat
/// nor counts as seeing the device. A device that was removed registers like a new one.
package struct RegisterDevice: Sendable {
    /// The answer: the device, and whether this request put it on record.
    package struct Reply: Hashable, Sendable {
        package let device: Device
        package let isNew: Bool

        package init(device: Device, isNew: Bool) {
            self.device = device
            self.isNew = isNew
        }
    }

    package let device: Label
    package let user: UserID
    /// The name; nil leaves the present one.
    package let name: Label?
    /// True if the device is pinned; nil leaves it as it is.
    package let isPinned: Bool?
    package let note: Note?

    package init(
        _ device: Label, of user: UserID, named name: Label? = nil, isPinned: Bool? = nil, note: Note? = nil
    ) {
        self.device = device
        self.user = user
        self.name = name
        self.isPinned = isPinned
        self.note = note
    }

    package func decide(
        given history: PurchaseHistory, in catalogue: CatalogueVersions, under settings: EntitlementSettings
    ) -> Decision<Reply, DeviceRefusal> {
        let devices = LockedDevices(of: user, given: history, in: catalogue, under: settings)
        guard let known = devices.roster[device] else { return registering(among: devices) }
        let deed = DeviceAct.Deed.registered(name: name ?? known.name, isPinned: isPinned ?? known.isPinned)
        guard deed != .registered(name: known.name, isPinned: known.isPinned) else {
            return Decision(answer: .success(Reply(device: known, isNew: false)))
        }
        return devices.decision(deed, of: known, note: note) { Reply(device: $0, isNew: false) }
    }

    private func registering(among devices: LockedDevices) -> Decision<Reply, DeviceRefusal> {
        guard devices.roster.count < DeviceRoster.maximumOnRecord else {
            return Decision(answer: .failure(.tooManyDevices))
        }
        guard devices.hasFreeSeat else { return Decision(answer: .failure(.seatLimitReached(devices.roster.seats))) }
        let new = Device(device, named: name, isPinned: isPinned ?? false, registeredAt: devices.at)
        return devices.decision(.registered(name: new.name, isPinned: new.isPinned), of: new, note: note) {
            Reply(device: $0, isNew: true)
        }
    }
}
