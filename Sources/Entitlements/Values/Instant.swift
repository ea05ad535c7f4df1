/// A point in time: integer milliseconds since the Unix epoch, UTC.
package struct Instant: Hashable, Comparable, Sendable {
    package let milliseconds: Int64

    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    package static func < (left: Instant, right: Instant) -> Bool {
        left.milliseconds < right.milliseconds
    }

    /// The instant `duration` milliseconds later; instants at the ends of the range stay there.
    package static func + (instant: Instant, duration: Int64) -> Instant {
        let (sum, overflow) = instant.milliseconds.addingReportingOverflow(duration)
        guard overflow else { return Instant(milliseconds: sum) }
        return duration > 0 ? .distantFuture : .distantPast
    }

    /// Milliseconds from `start` to `end`.
    package static func - (end: Instant, start: Instant) -> Int64 {
        end.milliseconds - start.milliseconds
    }

    /// 9999-12-31T23:59:59.999Z, the last instant that RFC 3339 can write.
    package static let distantFuture = Instant(milliseconds: 253_402_300_799_999)

    /// 0001-01-01T00:00:00Z, the first instant that RFC 3339 can write.
    package static let distantPast = Instant(milliseconds: -62_135_596_800_000)

    /// The nearest instant that RFC 3339 can write. A foreign date or a planned one may lie beyond its years; this one
    /// can be added to without overflow.
    package var writable: Instant { min(max(self, .distantPast), .distantFuture) }

    /// Milliseconds of one day; a day is never anything else.
    package static let millisecondsPerDay: Int64 = 86_400_000

    /// Milliseconds of one hour.
    package static let millisecondsPerHour: Int64 = 3_600_000
}
