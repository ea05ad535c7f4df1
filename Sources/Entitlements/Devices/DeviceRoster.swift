/// The devices on record at an instant, and which of them have a seat. A roster is computed from the user's acts with
/// devices and from the seats that the user was allowed over time (`semantics.md` §8).
///
/// Seats are settled after each act, and whenever the number of allowed seats or the limit changes:
///
/// - While more devices are active than the limit, the last in the order of `Device.precedes` is suspended.
/// - While fewer are active than allowed, the first of the devices that the limit suspended becomes active again.
///
/// Suspensions by the limit are derived, never facts. A device that the user suspended returns only when the user
/// reactivates it, even if the limit had suspended it before.
///
/// Registering a new device, or reactivating one, makes it active, even if evidence that comes later leaves too few
/// seats for that time. Settling then suspends the last device in the order, which may be another one. Pinning or
/// seeing a device changes only its place in the order, so a suspended device still waits for a free seat.
package struct DeviceRoster: Sendable {
    private var devices: [Label: Device] = [:]
    private var removed: Set<Label> = []
    private var counts = Counts()
    private var step: SeatTrack.Step

    /// The numbers of devices in the states that settling depends on.
    private struct Counts {
        var active = 0
        /// The number of devices that the limit suspended.
        var waiting = 0

        mutating func add(_ state: Device.State?, _ change: Int) {
            switch state {
            case .active: active += change
            case .suspended(.limit): waiting += change
            case .suspended(.user), nil: break
            }
        }
    }

    /// The most devices that a user may have on record.
    package static let maximumOnRecord = 100

    /// Makes a roster without devices.
    init(allowed: Int) {
        step = SeatTrack.Step(startsAt: SeatTrack.start, allowed: allowed, limit: allowed)
    }

    /// Makes the roster that results from `acts` by `instant`.
    init(folding acts: [DeviceAct.Dated], over track: SeatTrack, at instant: Instant) {
        self.init(allowed: 0)
        let steps = track.steps
        var next = steps.startIndex
        for act in acts.prefix(while: { $0.at <= instant }) {
            reach(act.at, through: steps, from: &next)
            apply(act.act, at: act.at, in: act.note)
        }
        reach(instant, through: steps, from: &next)
    }

    /// The devices on record, the last registered first.
    package var onRecord: [Device] {
        devices.values.sorted { left, right in
            left.registeredAt != right.registeredAt ? left.registeredAt > right.registeredAt : left.id < right.id
        }
    }

    /// The number of devices on record.
    package var count: Int { devices.count }

    package var seats: DeviceSeats {
        DeviceSeats(allowed: step.allowed, active: counts.active, suspended: count - counts.active)
    }

    /// The device with this id; nil if it is not on record.
    package subscript(id: Label) -> Device? { devices[id] }

    /// True if the device was on record and was removed.
    func wasRemoved(_ id: Label) -> Bool { devices[id] == nil && removed.contains(id) }

    /// True if being seen would move `device` up: another device with the same pin comes before it in the order.
    func follows(_ device: Device) -> Bool {
        devices.values.contains { $0.isPinned == device.isPinned && Device.precedes($0, device) }
    }

    /// Returns the active devices that would lose their seats if only `seats` were left, the first to lose its seat
    /// first.
    func losing(ifLeftWith seats: Int) -> [Device] {
        devices.values.filter { $0.state == .active }.sorted(by: Device.precedes).dropFirst(seats).reversed()
    }

    /// Applies an act, whose note has the digest `words`. A device that is not on record can only be registered; any
    /// other act with it changes nothing.
    mutating func apply(_ act: DeviceAct, at instant: Instant, in words: NoteDigest? = nil) {
        guard let place = devices.index(forKey: act.device) else {
            guard case .registered(let name, let isPinned) = act.deed else { return }
            put(
                Device(act.device, named: name, words: words, isPinned: isPinned, registeredAt: instant), as: act.device
            )
            return settle()
        }
        switch act.deed {
        case .registered(let name, let isPinned):
            if devices.values[place].name != name { devices.values[place].words = words }
            devices.values[place].name = name
            devices.values[place].isPinned = isPinned
        case .suspended: move(devices.values[place], to: .suspended(by: .user))
        case .reactivated: move(devices.values[place], to: .active)
        case .seen: devices.values[place].lastSeenAt = instant
        case .removed:
            removed.insert(act.device)
            put(nil, as: act.device)
        }
        settle()
    }

    private mutating func reach(_ instant: Instant, through steps: [SeatTrack.Step], from next: inout Int) {
        while next < steps.endIndex, steps[next].startsAt <= instant {
            step = steps[next]
            settle()
            next += 1
        }
    }

    /// Suspends devices beyond the limit, or gives free seats to devices that the limit suspended. At most one of the
    /// two is needed, because the limit is never below `allowed`.
    private mutating func settle() {
        if counts.active > step.limit {
            for device in losing(ifLeftWith: step.limit) { move(device, to: .suspended(by: .limit)) }
        }
        guard counts.active < step.allowed, counts.waiting > 0 else { return }
        let waiting = devices.values.filter { $0.state == .suspended(by: .limit) }.sorted(by: Device.precedes)
        for device in waiting.prefix(step.allowed - counts.active) { move(device, to: .active) }
    }

    private mutating func move(_ device: Device, to state: Device.State) {
        var moved = device
        moved.state = state
        put(moved, as: device.id)
    }

    private mutating func put(_ device: Device?, as id: Label) {
        counts.add(devices[id]?.state, -1)
        counts.add(device?.state, 1)
        devices[id] = device
    }
}
