import Entitlements

/// `semantics.md` §8 taken literally, for histories in which everything happens on the hour: every hour the seats are
/// counted, those who have too many lose some, those who wait get what is free, and then the hour's acts are done.
///
/// Slow, and written without a look at `SeatTrack` and `DeviceRoster`: the reference that they are held against.
struct HourByHour {
    /// A plan with seats of its own.
    struct Plan {
        let seats: Int
        let from: Int
        let until: Int
    }

    /// A pass of 720 hours with the seats of its tier.
    struct Pass {
        let isPro: Bool
        let from: Int
        let refundedAt: Int?
    }

    /// An add-on that gives 2 seats, or 3 while a pro pass covers.
    struct AddOn {
        let requiresPro: Bool
        let from: Int
        let refundedAt: Int?
        let reversedAt: Int?
    }

    /// What is done to a device in an hour.
    struct Act {
        let hour: Int
        let device: String
        let deed: DeviceAct.Deed
    }

    var plans: [Plan] = []
    var pass: Pass?
    var addOns: [AddOn] = []
    /// From then on basic has 2 devices instead of 1, and pro 3 instead of 5.
    var editedAt = Int.max
    var leeway = 0
    var grace = 24
    var acts: [Act] = []
    /// How many devices may be active from hour 0 on, where more than the above makes it.
    var given: [Int]?

    func allowed(_ hour: Int) -> Int {
        if let given { return given[min(max(0, hour), given.count - 1)] }
        var largest = 0
        for plan in plans where plan.from <= hour && hour < plan.until + min(leeway, plan.until - plan.from) {
            largest = max(largest, plan.seats)
        }
        var isPro = false
        if let pass, pass.from <= hour, hour < min(pass.from + 720, pass.refundedAt ?? .max) {
            isPro = pass.isPro
            largest = max(largest, pass.isPro ? (hour < editedAt ? 5 : 3) : (hour < editedAt ? 1 : 2))
        }
        for addOn in addOns where addOn.from <= hour {
            if let refundedAt = addOn.refundedAt, refundedAt <= hour, hour < addOn.reversedAt ?? .max { continue }
            if addOn.requiresPro && !isPro { continue }
            largest += addOn.requiresPro ? 3 : 2
        }
        return largest
    }

    func limit(_ hour: Int) -> Int {
        ((hour - grace)...hour).map(allowed).reduce(0, max)
    }

    /// A device as the model keeps it.
    fileprivate struct Place {
        let device: String
        var isPinned: Bool
        var seen: Int
        let registered: Int
        var state = "active"

        func goes(before other: Place) -> Bool {
            if isPinned != other.isPinned { return isPinned }
            if seen != other.seen { return seen > other.seen }
            return registered != other.registered ? registered < other.registered : device < other.device
        }
    }

    /// The devices and their states at the end of each hour from 0 on, by id.
    func run(until end: Int) -> [[String]] {
        var places: [Place] = []
        return (0..<end).map { hour in
            let (allowed, limit) = (allowed(hour), limit(hour))
            seat(&places, allowed, limit)
            for act in acts where act.hour == hour {
                act.apply(to: &places)
                seat(&places, allowed, limit)
            }
            return places.sorted { $0.device < $1.device }.map { "\($0.device) \($0.state)" }
        }
    }

    private func seat(_ places: inout [Place], _ allowed: Int, _ limit: Int) {
        places.sort { $0.goes(before: $1) }
        while places.count(where: { $0.state == "active" }) > limit,
            let last = places.lastIndex(where: { $0.state == "active" })
        {
            places[last].state = "suspended by limit"
        }
        while places.count(where: { $0.state == "active" }) < allowed,
            let first = places.firstIndex(where: { $0.state == "suspended by limit" })
        {
            places[first].state = "active"
        }
    }
}

extension HourByHour.Act {
    fileprivate func apply(to places: inout [HourByHour.Place]) {
        guard let index = places.firstIndex(where: { $0.device == device }) else {
            if case .registered(_, let isPinned) = deed {
                places.append(HourByHour.Place(device: device, isPinned: isPinned, seen: hour, registered: hour))
            }
            return
        }
        switch deed {
        case .registered(_, let isPinned): places[index].isPinned = isPinned
        case .suspended: places[index].state = "suspended by user"
        case .reactivated: places[index].state = "active"
        case .seen: places[index].seen = hour
        case .removed: places.remove(at: index)
        }
    }
}
