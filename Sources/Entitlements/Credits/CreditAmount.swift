/// How many units somebody asks for: from 1 to 10¹².
package struct CreditAmount: Hashable, Sendable {
    package let units: Int

    /// Nil when `units` is out of range.
    package init?(_ units: Int) {
        guard Self.range.contains(units) else { return nil }
        self.units = units
    }

    package static let range = 1...CreditLot.maximumCredited
}

/// How long a reservation may be held: from a second to 30 days.
package struct ReservationTime: Hashable, Sendable {
    package let seconds: Int

    /// Nil when `seconds` is out of range.
    package init?(seconds: Int) {
        guard Self.range.contains(seconds) else { return nil }
        self.seconds = seconds
    }

    package static let range = 1...2_592_000

    var milliseconds: Int64 { Int64(seconds) * 1000 }
}
