/// A plan's name of the form `{monthly|annual}_{n}`: its period and its device seats (`semantics.md` §7).
package struct PlanID: Hashable, Sendable {
    /// The raw value is what the API and the plan id write.
    package enum Period: String, Hashable, Sendable, CaseIterable {
        case monthly
        case annual
    }

    package let period: Period
    package let seats: Int

    /// Nil for a plan id of any other form, which names neither.
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
