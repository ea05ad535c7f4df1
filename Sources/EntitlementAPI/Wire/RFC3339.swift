package import Entitlements

/// Reads and writes instants as RFC 3339 text, without a calendar library: the Gregorian calendar in UTC, years 1 to
/// 9999.
package enum RFC3339 {
    /// Appends `instant` in UTC, cut to whole seconds. An instant outside the years 1–9999 is written as the nearest
    /// one inside.
    static func append(_ instant: Instant, to bytes: inout [UInt8]) {
        let (day, rest) = floorDivide(instant.writable.milliseconds, by: Instant.millisecondsPerDay)
        let date = Date(daysSinceEpoch: day)
        let second = rest / 1000
        append(date.year, digits: 4, to: &bytes)
        bytes.append(UInt8(ascii: "-"))
        append(date.month, digits: 2, to: &bytes)
        bytes.append(UInt8(ascii: "-"))
        append(date.day, digits: 2, to: &bytes)
        bytes.append(UInt8(ascii: "T"))
        append(second / 3600, digits: 2, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        append(second / 60 % 60, digits: 2, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        append(second % 60, digits: 2, to: &bytes)
        bytes.append(UInt8(ascii: "Z"))
    }

    /// The text of `instant`, as ``append(_:to:)`` writes it.
    package static func text(of instant: Instant) -> String {
        var bytes: [UInt8] = []
        append(instant, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The instant that `text` names, cut to milliseconds. Nil for malformed text and for instants outside the years
    /// 1–9999.
    ///
    /// Any offset and lower-case letters are allowed (RFC 3339 §5.6). A leap second is not, because an ``Instant``
    /// cannot represent it.
    package static func instant(_ text: String) -> Instant? {
        var rest = Array(text.utf8)[...]
        guard let year = number(&rest, digits: 4), take("-", &rest), let month = number(&rest, digits: 2),
            take("-", &rest), let day = number(&rest, digits: 2), take("T", &rest) || take("t", &rest),
            let hour = number(&rest, digits: 2), take(":", &rest), let minute = number(&rest, digits: 2),
            take(":", &rest), let second = number(&rest, digits: 2), let fraction = milliseconds(&rest),
            let offset = offsetMinutes(&rest), rest.isEmpty, year >= 1, (1...12).contains(month),
            (1...Date.days(in: month, of: year)).contains(day), hour < 24, minute < 60, second < 60
        else { return nil }
        let days = Date(year: year, month: month, day: day).daysSinceEpoch
        let minutes = (days * 24 + hour) * 60 + minute - offset
        let instant = Instant(milliseconds: (minutes * 60 + second) * 1000 + fraction)
        return (Instant.distantPast...Instant.distantFuture).contains(instant) ? instant : nil
    }

    // MARK: Leaves

    private static func append(_ number: Int64, digits: Int, to bytes: inout [UInt8]) {
        var divisor: Int64 = digits == 4 ? 1000 : 10
        while divisor > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
            divisor /= 10
        }
    }

    private static func take(_ scalar: Unicode.Scalar, _ rest: inout ArraySlice<UInt8>) -> Bool {
        guard rest.first == UInt8(ascii: scalar) else { return false }
        rest.removeFirst()
        return true
    }

    private static func digit(_ rest: inout ArraySlice<UInt8>) -> Int64? {
        guard let byte = rest.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
        rest.removeFirst()
        return Int64(byte - UInt8(ascii: "0"))
    }

    private static func number(_ rest: inout ArraySlice<UInt8>, digits: Int) -> Int64? {
        var number: Int64 = 0
        for _ in 0..<digits {
            guard let digit = digit(&rest) else { return nil }
            number = number * 10 + digit
        }
        return number
    }

    /// The milliseconds of the optional fraction; nil for a point without digits.
    private static func milliseconds(_ rest: inout ArraySlice<UInt8>) -> Int64? {
        guard take(".", &rest) else { return 0 }
        guard let first = digit(&rest) else { return nil }
        var milliseconds = first * 100
        var weight: Int64 = 10
        while let next = digit(&rest) {
            milliseconds += next * weight
            weight /= 10
        }
        return milliseconds
    }

    private static func offsetMinutes(_ rest: inout ArraySlice<UInt8>) -> Int64? {
        if take("Z", &rest) || take("z", &rest) { return 0 }
        let isWest = rest.first == UInt8(ascii: "-")
        guard take("-", &rest) || take("+", &rest), let hours = number(&rest, digits: 2), take(":", &rest),
            let minutes = number(&rest, digits: 2), hours < 24, minutes < 60
        else { return nil }
        return (isWest ? -1 : 1) * (hours * 60 + minutes)
    }

    fileprivate static func floorDivide(_ number: Int64, by divisor: Int64) -> (quotient: Int64, rest: Int64) {
        let (quotient, rest) = number.quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? (quotient - 1, rest + divisor) : (quotient, rest)
    }
}

/// A day of the proleptic Gregorian calendar.
///
/// The arithmetic counts in cycles of 400 years (146 097 days) that begin on 1 March. The leap day then comes last in a
/// year, so both conversions are exact with integers.
private struct Date {
    let year: Int64
    let month: Int64
    let day: Int64

    init(year: Int64, month: Int64, day: Int64) {
        self.year = year
        self.month = month
        self.day = day
    }

    init(daysSinceEpoch: Int64) {
        let (era, dayOfEra) = RFC3339.floorDivide(daysSinceEpoch + Self.daysBeforeEpoch, by: Self.daysOfEra)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
    }

    var daysSinceEpoch: Int64 {
        let (era, yearOfEra) = RFC3339.floorDivide(month <= 2 ? year - 1 : year, by: 400)
        let monthFromMarch = month > 2 ? month - 3 : month + 9
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * Self.daysOfEra + dayOfEra - Self.daysBeforeEpoch
    }

    static func days(in month: Int64, of year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    private static let daysOfEra: Int64 = 146_097
    /// The days from 0000-03-01 to 1970-01-01.
    private static let daysBeforeEpoch: Int64 = 719_468
}
