/// A plan id of the form `{monthly|annual}_{n}`, which names the period and the number of device seats (`semantics.md`
/// §7).
package struct PlanID: Hashable, Sendable {
    /// The period; the raw value is what the API and the plan id write.
    package enum Period: String, Hashable, Sendable, CaseIterable {
        case monthly
        case annual
    }

    package let period: Period
    package let seats: Int

    /// Reads a plan id. Returns nil for any other form, and for a number outside 1…10000.
    package init?(_ text: String) {
        let parts = text.split(separator: "_", omittingEmptySubsequences: false)
        guard parts.count == 2, let period = Period(rawValue: String(parts[0])),
            parts[1].utf8.first != UInt8(ascii: "+"), let seats = Int(parts[1]), (1...Self.maximumSeats).contains(seats)
        else { return nil }
        self.period = period
        self.seats = seats
    }

    package static let maximumSeats = 10_000
}
