package import Entitlements
import EntitlementAPI

/// A time zone, as a person of the staff names it.
package struct Zone: Sendable {
    /// The offset in milliseconds from UTC of a zone at an instant, by the zone's name; nil if there is no such zone.
    package typealias Rules = @Sendable (_ name: String, Instant) -> Int64?

    package let name: String
    private let rules: Rules

    /// The zone with this name; UTC if there is none.
    package init(_ name: String, by rules: @escaping Rules) {
        self.name = rules(name, .init(milliseconds: 0)) == nil ? Self.utcName : name
        self.rules = rules
    }

    static let utc = Zone(utcName) { _, _ in 0 }
    private static let utcName = "UTC"

    var isUTC: Bool { name == Self.utcName }

    func offset(at instant: Instant) -> Int64 { rules(name, instant) ?? 0 }

    func time(_ instant: Instant) -> CivilTime { CivilTime(instant.writable + offset(at: instant)) }

    /// The instant of a civil time, which may not exist, or exist twice, where the offset changes.
    func instant(_ time: CivilTime) -> Instant? {
        guard let utc = time.asUTC else { return nil }
        let guess = utc + -offset(at: utc)
        return utc + -offset(at: guess)
    }
}

/// A date and a time of day, without a zone.
struct CivilTime: Hashable, Sendable {
    var year: Int
    /// 1 to 12.
    var month: Int
    var day: Int
    var hour = 0
    var minute = 0

    /// The civil time in UTC.
    init(_ instant: Instant) {
        let bytes = Array(RFC3339.text(of: instant).utf8)
        func number(_ place: Range<Int>) -> Int { bytes[place].reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) } }
        (year, month, day) = (number(0..<4), number(5..<7), number(8..<10))
        (hour, minute) = (number(11..<13), number(14..<16))
    }

    init(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0) {
        (self.year, self.month, self.day, self.hour, self.minute) = (year, month, day, hour, minute)
    }

    /// The instant at which it is this time in UTC; nil if there is no such date.
    var asUTC: Instant? {
        RFC3339.instant("\(Self.digits(year, 4))-\(two(month))-\(two(day))T\(two(hour)):\(two(minute)):00Z")
    }

    var clock: String { "\(two(hour)):\(two(minute))" }

    func isSameDay(as other: CivilTime) -> Bool { year == other.year && month == other.month && day == other.day }

    /// The first of the month that is `count` months later.
    func firstOfMonth(after count: Int) -> CivilTime {
        let months = year * 12 + month - 1 + count
        return CivilTime(year: months / 12, month: months % 12 + 1, day: 1)
    }

    private func two(_ number: Int) -> String { Self.digits(number, 2) }

    private static func digits(_ number: Int, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }
}
