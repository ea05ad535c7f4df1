import Testing

@testable import Entitlements

/// Instants and intervals at their ends (`semantics.md`, "Time").
@Suite struct InstantTests {
    private static let first = Instant(milliseconds: .min)
    private static let last = Instant(milliseconds: .max)

    @Test func `a sum that overflows is the last or the first instant that can be written`() {
        #expect(Self.last + 1 == .distantFuture && Self.first + -1 == .distantPast)
        #expect(Self.last + 0 == Self.last && Self.last + -1 == Instant(milliseconds: Int64.max - 1))
        #expect(Instant("01-01") + Instant.millisecondsPerDay == "01-02")
    }

    @Test func `an instant is moved into the years that can be written, and no further`() {
        for instant in [.distantPast, "01-01", .distantFuture] as [Instant] { #expect(instant.writable == instant) }
        #expect(Self.first.writable == .distantPast && (Instant.distantPast + -1).writable == .distantPast)
        #expect(Self.last.writable == .distantFuture && (Instant.distantFuture + 1).writable == .distantFuture)
    }

    @Test(
        arguments: [
            ("01-01", "01-10", "01-05", "01-15", "01-05..01-10"), ("01-01", "01-10", "01-10", "01-15", nil),
            ("01-01", "01-10", "01-09 23:59:59.999", nil, "01-09 23:59:59.999..01-10"),
            ("01-01", nil, "01-05", nil, "01-05.."), ("01-05", "01-05", "01-01", nil, nil),
            ("01-10", "01-20", "01-01", "01-10", nil),
        ] as [(Instant, Instant?, Instant, Instant?, String?)])
    func `intervals that only touch have no common part`(
        start: Instant, end: Instant?, otherStart: Instant, otherEnd: Instant?, common: String?
    ) {
        let (one, other) = (
            Interval(startsAt: start, endsAt: end), Interval(startsAt: otherStart, endsAt: otherEnd)
        )
        for part in [one.part(within: other), other.part(within: one)] {
            #expect(part.map { "\($0.startsAt.text)..\($0.endsAt?.text ?? "")" } == common)
        }
    }
}
