/// Advice on a change of plan (`semantics.md` §8; `api.md`, "Change of plan"). It says what would follow if the target
/// took the place of the plan or pass that gives the seats now. Add-ons and all other coverage stay.
///
/// Only a change to fewer seats than now can take a device's seat. Such a change is not allowed until the devices that
/// would lose their seats are released. Any other change is allowed, even if devices will lose their seats at the end
/// of the seat grace.
package struct PlanChange: Hashable, Sendable {
    /// The direction of the change; the raw value is what the API writes.
    package enum Action: String, Hashable, Sendable, CaseIterable {
        /// No plan or pass gives seats now.
        case subscribe
        /// The target has as many seats as now.
        case current
        case upgrade
        case downgrade
    }

    package let action: Action
    /// The number of devices that may be active now.
    package let currentDevices: Int
    /// The number of devices that could be active after the change.
    package let targetDevices: Int
    package let activeDevices: Int
    /// The active devices that would lose their seats, the first to lose its seat first.
    package let devicesToRelease: [Label]

    package init(
        action: Action, currentDevices: Int, targetDevices: Int, activeDevices: Int, devicesToRelease: [Label]
    ) {
        self.action = action
        self.currentDevices = currentDevices
        self.targetDevices = targetDevices
        self.activeDevices = activeDevices
        self.devicesToRelease = devicesToRelease
    }

    /// True if every active device keeps its seat.
    package var isAllowed: Bool { devicesToRelease.isEmpty }
}

/// The reason why there is no advice.
package enum PlanChangeRefusal: Error, Hashable, Sendable, CaseIterable {
    /// The catalogue in force has no such plan or pass.
    case unknownTarget
}

extension Timeline {
    /// Returns the advice at `at` on a change to `target`.
    package func planChange(to target: PlanTarget, at: Instant) -> Result<PlanChange, PlanChangeRefusal> {
        var sources = seatSources(at: at)
        let giving = piecesGivingSeats(at: at, among: sources)
        let replaced = giving.first.map { SeatSources.Giver($0) }
        guard let giver = target.giver(among: sources, replacing: replaced) else { return .failure(.unknownTarget) }
        for piece in giving { sources.count(SeatSources.Giver(piece), -1) }
        sources.count(giver, 1)

        let devices = devices(at: at)
        let (current, target) = (devices.seats.allowed, sources.allowed)
        let action = replaced == nil ? PlanChange.Action.subscribe : .from(current, to: target)
        return .success(
            PlanChange(
                action: action, currentDevices: current, targetDevices: target, activeDevices: devices.seats.active,
                devicesToRelease: target < current ? devices.losing(ifLeftWith: target).map(\.id) : []))
    }

    /// Returns the present coverage of the purchase that gives the most seats; of equal ones, of the purchase with the
    /// highest rank. Empty if no coverage gives seats.
    private func piecesGivingSeats(at instant: Instant, among sources: SeatSources) -> [Coverage] {
        let covering = covering(at: instant).sorted(by: Coverage.precedes)
        let seats = { (piece: Coverage) in sources.seats(of: SeatSources.Giver(piece)) }
        let most = covering.filter { seats($0) > 0 }
            .max { (seats($0), $0.segment.tierRank) < (seats($1), $1.segment.tierRank) }
        return covering.filter { $0.purchase == most?.purchase }
    }
}

extension PlanChange.Action {
    fileprivate static func from(_ current: Int, to target: Int) -> PlanChange.Action {
        if target == current { return .current }
        return target > current ? .upgrade : .downgrade
    }
}
