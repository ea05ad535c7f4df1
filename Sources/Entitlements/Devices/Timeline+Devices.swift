extension Timeline {
    /// The user's devices at `at`.
    package func devices(at: Instant) -> DeviceRoster {
        guard !deviceActs.isEmpty else { return DeviceRoster(allowed: seatSources(at: at).allowed) }
        return DeviceRoster(folding: deviceActs, over: seatTrack, at: at)
    }

    /// How many devices may be and are in use at `at`.
    package func deviceSeats(at: Instant) -> DeviceSeats {
        devices(at: at).seats
    }

    /// All instants at which a device may come, go or change its state; what changes `allowed` alone is among the
    /// changes of coverage, add-ons and catalogue.
    var deviceChanges: [Instant] {
        guard !deviceActs.isEmpty else { return [] }
        return deviceActs.map(\.at) + seatTrack.steps.map(\.startsAt)
    }
}
