/// The units in repayment: how many of which lot, in the order in which they came into repayment.
struct Repayments: Sendable {
    private var parts: [(position: Int, units: Int)] = []
    private(set) var total = 0

    mutating func add(_ units: Int, from position: Int) {
        parts.append((position, units))
        total += units
    }

    /// Ends the newest repayments, `units` in all, and returns the lots that they belong to. At least so many units are
    /// in repayment.
    mutating func undo(_ units: Int) -> [(position: Int, units: Int)] {
        var undone: [(position: Int, units: Int)] = []
        var rest = units
        while rest > 0, let newest = parts.popLast() {
            let taken = min(rest, newest.units)
            undone.append((newest.position, taken))
            if taken < newest.units { parts.append((newest.position, newest.units - taken)) }
            rest -= taken
        }
        total -= units
        return undone
    }

    /// Ends repayments from the lot at `position`, `units` in all, the newest first. At least so many units of the lot
    /// are in repayment.
    mutating func withdraw(_ units: Int, from position: Int) {
        var rest = units
        for index in parts.indices.reversed() where parts[index].position == position {
            let taken = min(rest, parts[index].units)
            parts[index].units -= taken
            rest -= taken
        }
        parts.removeAll { $0.units == 0 }
        total -= units
    }
}
