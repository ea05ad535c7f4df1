/// The number of units that a request asks for: 1 to 10¹².
package struct CreditAmount: Hashable, Sendable {
    package let units: Int

    /// Returns nil if `units` is out of range.
    package init?(_ units: Int) {
        guard Self.range.contains(units) else { return nil }
        self.units = units
    }

    package static let range = 1...CreditLot.maximumCredited
}

/// The time for which a reservation may be held: 1 second to 30 days.
package struct ReservationTime: Hashable, Sendable {
    package let seconds: Int

    /// Returns nil if `seconds` is out of range.
    package init?(seconds: Int) {
        guard Self.range.contains(seconds) else { return nil }
        self.seconds = seconds
    }

    package static let range = 1...2_592_000

    var milliseconds: Int64 { Int64(seconds) * 1000 }
}
