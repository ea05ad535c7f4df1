extension Timeline {
    /// Returns the user's devices at `at`.
    package func devices(at: Instant) -> DeviceRoster {
        guard !deviceActs.isEmpty else { return DeviceRoster(allowed: seatSources(at: at).allowed) }
        return DeviceRoster(folding: deviceActs, over: seatTrack, at: at)
    }

    /// Returns the allowed seats at `at`, and the numbers of active and suspended devices.
    package func deviceSeats(at: Instant) -> DeviceSeats {
        devices(at: at).seats
    }

    /// The instants at which a device may come, go or change its state. Instants at which only `allowed` changes are
    /// left out, because they are among the changes of coverage, add-ons and catalogue.
    var deviceChanges: [Instant] {
        guard !deviceActs.isEmpty else { return [] }
        return deviceActs.map(\.at) + seatTrack.steps.map(\.startsAt)
    }
}
