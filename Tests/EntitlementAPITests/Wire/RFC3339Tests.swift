import Entitlements
import Testing

@testable import EntitlementAPI

struct RFC3339Tests {
    @Test(arguments: [
        (0, "1970-01-01T00:00:00Z"),
        (999, "1970-01-01T00:00:00Z"),
        (-1, "1969-12-31T23:59:59Z"),
        (951_782_400_000, "2000-02-29T00:00:00Z"),
        (1_709_164_800_000, "2024-02-29T00:00:00Z"),
        (4_107_542_400_000, "2100-03-01T00:00:00Z"),
        (1_768_435_200_000, "2026-01-15T00:00:00Z"),
        (-62_135_596_800_000, "0001-01-01T00:00:00Z"),
        (253_402_300_799_999, "9999-12-31T23:59:59Z"),
        (Int64.min, "0001-01-01T00:00:00Z"),
        (Int64.max, "9999-12-31T23:59:59Z"),
    ])
    func `instants are written with whole seconds cut`(milliseconds: Int64, text: String) {
        #expect(RFC3339.text(of: Instant(milliseconds: milliseconds)) == text)
    }

    @Test(arguments: [
        ("2026-01-15T00:00:00Z", 1_768_435_200_000),
        ("2026-01-15t00:00:00z", 1_768_435_200_000),
        ("2026-01-15T02:30:00+02:30", 1_768_435_200_000),
        ("2026-01-14T19:00:00-05:00", 1_768_435_200_000),
        ("2026-01-15T00:00:00.9Z", 1_768_435_200_900),
        ("2026-01-15T00:00:00.123999999Z", 1_768_435_200_123),
        ("0001-01-01T00:00:00Z", -62_135_596_800_000),
        ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
        ("1600-02-29T12:00:00-00:00", -11_670_955_200_000),
    ])
    func `instants are read`(text: String, milliseconds: Int64) {
        #expect(RFC3339.instant(text) == Instant(milliseconds: milliseconds))
    }

    @Test(arguments: [
        "", "2026", "2026-01-15", "2026-01-15T00:00:00", "2026-01-15 00:00:00Z", "2026-1-15T00:00:00Z",
        "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z",
        "2026-04-31T00:00:00Z", "2026-01-32T00:00:00Z", "2026-01-15T24:00:00Z", "2026-01-15T00:60:00Z",
        "2026-01-15T23:59:60Z", "2026-01-15T00:00:00.Z", "2026-01-15T00:00:00+24:00", "2026-01-15T00:00:00+0100",
        "2026-01-15T00:00:00+01:60", "0000-01-01T00:00:00Z", "0001-01-01T00:00:00+00:01",
        "9999-12-31T23:59:59-00:01", "2026-01-15T00:00:00ZZ", "+2026-01-15T00:00:00Z", "２026-01-15T00:00:00Z",
    ])
    func `anything else is no instant`(text: String) {
        #expect(RFC3339.instant(text) == nil)
    }

    @Test func `what is written is read again for every day of the calendar`() {
        var day = Instant.distantPast
        while day <= .distantFuture {
            let instant = day + 45_296_000
            #expect(RFC3339.instant(RFC3339.text(of: instant)) == instant)
            day = day + 37 * Instant.millisecondsPerDay
        }
    }
}
