package import Entitlements
import EntitlementAPI

/// The language of pages.
package enum Language: String, Sendable, CaseIterable {
    case english = "en"
    case chinese = "zh"

    /// The text of a phrase, with a name in braces where a value stands.
    func text(_ phrase: Phrase) -> String {
        switch self {
        case .english: phrase.english
        case .chinese: phrase.chinese
        }
    }

    /// The tag of the pages (BCP 47).
    var tag: String {
        switch self {
        case .english: "en"
        case .chinese: "zh-Hans"
        }
    }

    /// The language's own name for itself.
    var ownName: String {
        switch self {
        case .english: "English"
        case .chinese: "简体中文"
        }
    }

    /// The language that a browser prefers among those that there are.
    init(preferredBy field: String?) {
        let tags = AcceptLanguage.ordered(Self.allCases.map(\.rawValue))
        self = AcceptLanguage(field).best(in: tags).flatMap(Self.init(rawValue:)) ?? .english
    }
}

/// Everything that a page says, in one language and one time zone.
package struct Words: Sendable {
    let language: Language
    let zone: Zone
    let now: Instant

    package init(_ language: Language, in zone: Zone, now: Instant) {
        self.language = language
        self.zone = zone
        self.now = now
    }

    // MARK: Phrases

    /// A phrase as markup. A value that the phrase does not name is left out.
    func callAsFunction(_ phrase: Phrase, _ values: [String: Markup] = [:]) -> Markup {
        Markup(
            Self.parts(of: language.text(phrase)).map { part in
                part.isName ? values[part.text] ?? Markup("{\(part.text)}") : Markup(part.text)
            })
    }

    /// A phrase as plain text.
    func text(_ phrase: Phrase, _ values: [String: String] = [:]) -> String {
        guard !values.isEmpty else { return language.text(phrase) }
        return Self.parts(of: language.text(phrase)).reduce(into: "") { text, part in
            text += part.isName ? values[part.text] ?? "{\(part.text)}" : part.text
        }
    }

    /// A phrase about a number of things.
    func count(_ number: Int, _ one: Phrase, _ others: Phrase) -> String {
        text(number == 1 ? one : others, ["n": self.number(number)])
    }

    /// Several parts as one, each two of them joined by a phrase of a first and a second.
    func joined(_ parts: [Markup], by phrase: Phrase) -> Markup {
        guard let first = parts.first else { return .nothing }
        return parts.dropFirst().reduce(first) { self(phrase, ["first": $0, "second": $1]) }
    }

    /// Several texts as one, each two of them joined by a phrase of a first and a second.
    func joined(_ parts: [String], by phrase: Phrase) -> String {
        guard let first = parts.first else { return "" }
        return parts.dropFirst().reduce(first) { text(phrase, ["first": $0, "second": $1]) }
    }

    /// The parts of a phrase: texts, and names of values.
    static func parts(of phrase: String) -> [(text: String, isName: Bool)] {
        var parts: [(text: String, isName: Bool)] = []
        for (index, piece) in phrase.split(separator: "{", omittingEmptySubsequences: false).enumerated() {
            guard index > 0, let end = piece.firstIndex(of: "}") else {
                parts.append((String(piece), false))
                continue
            }
            parts.append((String(piece[..<end]), true))
            parts.append((String(piece[piece.index(after: end)...]), false))
        }
        return parts.filter { $0.isName || !$0.text.isEmpty }
    }

    // MARK: Numbers

    /// A whole number with its thousands set apart.
    func number(_ number: Int) -> String {
        var digits = String(number.magnitude)
        var groups: [String] = []
        while digits.count > 3 {
            groups.insert(String(digits.suffix(3)), at: 0)
            digits.removeLast(3)
        }
        return (number < 0 ? "−" : "") + ([digits] + groups).joined(separator: text(.thousands))
    }

    /// An amount of money, such as `€9.99`.
    func money(_ milliunits: Int64, _ currency: String?, isRaw: Bool = false) -> String {
        guard !isRaw else { return number(Int(milliunits)) + " " + (currency ?? "?") }
        let hasUnits = ["JPY", "KRW", "VND", "CLP", "ISK", "XAF", "XOF"].contains(currency ?? "")
        let (units, rest) = milliunits.magnitude.quotientAndRemainder(dividingBy: 1_000)
        let cents = String(String(1_000 + rest).dropFirst())
        let digits = cents.hasSuffix("0") ? String(cents.dropLast()) : cents
        let amount = number(Int(units)) + (hasUnits && rest == 0 ? "" : "." + digits)
        let sign = milliunits < 0 ? "−" : ""
        let symbols = ["EUR": "€", "USD": "$", "GBP": "£", "JPY": "¥", "INR": "₹"]
        guard let symbol = symbols[currency ?? ""] else { return sign + amount + "\u{A0}" + (currency ?? "?") }
        return sign + symbol + amount
    }

    // MARK: Times

    /// A date such as `4 December 2026`, which never breaks.
    func date(_ instant: Instant) -> String { date(zone.time(instant), .longDate, .months) }

    /// A date such as `4 Dec`, with the year where it is not this one.
    func shortDate(_ instant: Instant) -> String {
        let time = zone.time(instant)
        let isThisYear = time.year == zone.time(now).year
        return date(time, isThisYear ? .shortDate : .shortDateWithYear, .shortMonths)
    }

    /// A date and a time such as `4 Nov 07:02`.
    func dateAndTime(_ instant: Instant) -> String {
        text(.dateAndTime, ["date": shortDate(instant), "time": zone.time(instant).clock])
    }

    /// A date for a sentence, which never breaks.
    func unbroken(_ instant: Instant) -> Markup { Tag.span(.class("nowrap")) { date(instant) } }

    /// The time of an instant in UTC, with the date where it is another one there.
    func utc(_ instant: Instant) -> String {
        let (here, there) = (zone.time(instant), Zone.utc.time(instant))
        let day = here.isSameDay(as: there) ? "" : date(there, .shortDate, .shortMonths) + " "
        return day + there.clock + "\u{A0}UTC"
    }

    /// The name of a month for an axis; January is the year.
    func month(_ time: CivilTime) -> String {
        text(
            time.month == 1 ? .axisJanuary : .axisMonth, ["m": names(.shortMonths, time.month), "y": String(time.year)])
    }

    private func date(_ time: CivilTime, _ pattern: Phrase, _ months: Phrase) -> String {
        text(pattern, ["d": String(time.day), "m": names(months, time.month), "y": String(time.year)])
    }

    private func names(_ phrase: Phrase, _ month: Int) -> String {
        let names = language.text(phrase).split(separator: "|")
        return names.indices.contains(month - 1) ? String(names[month - 1]) : String(month)
    }

    /// A length of time in whole days, rounded down; below a day in hours, below an hour in minutes.
    func length(_ milliseconds: Int64) -> String {
        let days = milliseconds / Instant.millisecondsPerDay
        guard days == 0 else { return count(Int(days), .oneDay, .days) }
        let hours = milliseconds / Instant.millisecondsPerHour
        guard hours == 0 else { return count(Int(hours), .oneHour, .hours) }
        return count(Int(max(0, milliseconds) / 60_000), .oneMinute, .minutes)
    }

    /// A cell with an instant: the zone's time, and UTC beneath where that is another zone.
    func cell(_ instant: Instant?, orElse none: Phrase = .noEnd) -> Markup {
        guard let instant else { return Markup(text(none)) }
        return Tag.time(.datetime(RFC3339.text(of: instant))) {
            Tag.span(.class("nowrap")) { dateAndTime(instant) }
            if !zone.isUTC { Tag.small(.class("utc")) { utc(instant) } }
        }
    }

    /// The instant that a person typed: a date, a date with a time of day, or RFC 3339; nil for any other text.
    func instant(typed text: String) -> Instant? {
        if let instant = RFC3339.instant(text) { return instant }
        let numbers = text.split { "-T: ".contains($0) }
        let digits = numbers.compactMap { Int($0) }
        guard digits.count == numbers.count, digits.count == 3 || digits.count == 5, digits.allSatisfy({ $0 >= 0 }),
            numbers[0].utf8.count == 4
        else { return nil }
        let time = CivilTime(
            year: digits[0], month: digits[1], day: digits[2], hour: digits.count > 3 ? digits[3] : 0,
            minute: digits.count > 3 ? digits[4] : 0)
        return zone.instant(time)
    }
}
