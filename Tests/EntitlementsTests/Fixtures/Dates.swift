import Entitlements

/// A text such as `01-10`, `02-09 23:59:51.360` or `2027-01-01`, in 2026 unless it names a year, UTC.
extension Instant: ExpressibleByStringLiteral {
    package init(stringLiteral text: String) {
        let halves = text.split(separator: " ")
        let numbers = halves[0].split(separator: "-").compactMap { Int64($0) }
        let date = numbers.count == 3 ? numbers : [2026] + numbers
        let clock = halves.dropFirst().flatMap { $0.split { ":.".contains($0) } }.compactMap { Int64($0) }
        let time = clock + [Int64](repeating: 0, count: 4 - clock.count)
        precondition(date.count == 3, "a date: \(text)")
        let days = Self.days(year: date[0], month: date[1], day: date[2])
        let seconds = (time[0] * 60 + time[1]) * 60 + time[2]
        self.init(milliseconds: days * Self.millisecondsPerDay + seconds * 1000 + time[3])
    }

    /// Such as `01-10`, or `02-09 23:59:51.360` where it is not midnight.
    var text: String {
        let (days, time) = milliseconds.quotientAndRemainder(dividingBy: Self.millisecondsPerDay)
        let (year, month, day) = Self.date(days: days)
        let date = (year == 2026 ? "" : "\(year)-") + "\(Self.two(month))-\(Self.two(day))"
        guard time > 0 else { return date }
        let seconds = time / 1000
        let clock = [seconds / 3600, seconds / 60 % 60, seconds % 60].map(Self.two).joined(separator: ":")
        let fraction = time % 1000
        return "\(date) \(clock)" + (fraction == 0 ? "" : "." + (fraction < 100 ? "0" : "") + Self.two(fraction))
    }

    private static func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }

    /// Days since 1970-01-01 of the Gregorian calendar, for years from 1970 on.
    private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
    }

    private static func date(days: Int64) -> (Int64, Int64, Int64) {
        var year: Int64 = 1970
        while Self.days(year: year + 1, month: 1, day: 1) <= days { year += 1 }
        var month: Int64 = 1
        while month < 12, Self.days(year: year, month: month + 1, day: 1) <= days { month += 1 }
        return (year, month, days - Self.days(year: year, month: month, day: 1) + 1)
    }
}
