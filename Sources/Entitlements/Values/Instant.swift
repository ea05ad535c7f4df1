/// A point in time, in whole milliseconds since the Unix epoch (UTC).
package struct Instant: Hashable, Comparable, Sendable {
    package let milliseconds: Int64

    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    package static func < (left: Instant, right: Instant) -> Bool {
        left.milliseconds < right.milliseconds
    }

    /// Returns the instant `duration` milliseconds later. A sum that overflows is `distantFuture` or `distantPast`.
    package static func + (instant: Instant, duration: Int64) -> Instant {
        let (sum, overflow) = instant.milliseconds.addingReportingOverflow(duration)
        guard overflow else { return Instant(milliseconds: sum) }
        return duration > 0 ? .distantFuture : .distantPast
    }

    /// Returns the milliseconds from `start` to `end`.
    package static func - (end: Instant, start: Instant) -> Int64 {
        end.milliseconds - start.milliseconds
    }

    /// The last instant that RFC 3339 can write: 9999-12-31T23:59:59.999Z.
    package static let distantFuture = Instant(milliseconds: 253_402_300_799_999)

    /// The first instant that RFC 3339 can write: 0001-01-01T00:00:00Z.
    package static let distantPast = Instant(milliseconds: -62_135_596_800_000)

    /// The instant, moved into the years 1 to 9999 that RFC 3339 can write. A planned date, or a date from outside, may
    /// lie beyond these years. Adding to the result does not overflow.
    package var writable: Instant { min(max(self, .distantPast), .distantFuture) }

    /// The milliseconds of a day; every day has the same length.
    package static let millisecondsPerDay: Int64 = 86_400_000

    /// 00:00 UTC of the instant's day.
    package var startOfDay: Instant {
        let (day, rest) = milliseconds.quotientAndRemainder(dividingBy: Self.millisecondsPerDay)
        return Instant(milliseconds: (rest < 0 ? day - 1 : day) * Self.millisecondsPerDay)
    }

    /// The milliseconds of an hour.
    package static let millisecondsPerHour: Int64 = 3_600_000
}
