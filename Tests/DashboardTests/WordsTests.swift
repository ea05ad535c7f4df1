import Entitlements
import EntitlementAPI
import Testing

@testable import Dashboard

/// All words stand in one table a language.
@Suite struct WordsTests {
    private static let rome = Zone("Europe/Rome") { name, instant in
        guard name == "Europe/Rome" else { return nil }
        // Summer time of 2026, from 29 March to 25 October, 01:00 UTC.
        let summer = Instant(milliseconds: 1_774_746_000_000)..<Instant(milliseconds: 1_792_890_000_000)
        return (summer.contains(instant) ? 2 : 1) * Instant.millisecondsPerHour
    }

    private static func instant(_ text: String) -> Instant {
        RFC3339.instant(text) ?? .distantPast
    }

    private static let words = Words(.english, in: rome, now: instant("2026-11-17T10:00:00Z"))

    private static func holes(_ phrase: Phrase, _ language: Language) -> [String] {
        Words.parts(of: language.text(phrase)).filter(\.isName).map(\.text).sorted()
    }

    @Test func `each language has all phrases with the same values, and no word is empty`() {
        for language in Language.allCases {
            for phrase in Phrase.allCases {
                let text = language.text(phrase)
                #expect(!text.isEmpty && !text.contains("  "), "\(phrase)")
                #expect(Self.holes(phrase, language) == Self.holes(phrase, .english), "\(phrase)")
                #expect(text.count { $0 == "{" } == text.count { $0 == "}" }, "\(phrase)")
            }
            #expect(language.text(.months).split(separator: "|").count == 12)
            #expect(language.text(.shortMonths).split(separator: "|").count == 12)
        }
    }

    private static let chinese = Words(.chinese, in: rome, now: instant("2026-11-17T10:00:00Z"))

    @Test func `Chinese dates, numbers and sentences are written as Chinese people write them`() {
        let late = Self.instant("2026-11-04T23:30:00Z")
        #expect(Self.chinese.date(late) == "2026年11月5日")
        #expect(Self.chinese.dateAndTime(late) == "11月5日 00:30" && Self.chinese.utc(late) == "11月4日 23:30\u{A0}UTC")
        #expect(Self.chinese.month(CivilTime(year: 2027, month: 1, day: 1)) == "2027年1月")
        #expect(Self.chinese.month(CivilTime(year: 2027, month: 2, day: 1)) == "2月")
        #expect(Self.words.month(CivilTime(year: 2027, month: 1, day: 1)) == "Jan\u{A0}2027")
        #expect(Self.chinese.number(1_234_567) == "1,234,567")
        #expect(Self.chinese.length(Instant.millisecondsPerDay) == "1 天")
        #expect(Self.chinese.joined(["一", "二", "三"], by: .listed) == "一，二，三")
        #expect(Self.words.joined(["a", "b", "c"], by: .listed) == "a, b, c")
        #expect(Self.words.joined([String](), by: .listed).isEmpty)
    }

    @Test func `Chinese texts have no punctuation of half a width beside a Chinese sign`() {
        func isChinese(_ scalar: Unicode.Scalar) -> Bool { (0x4E00...0x9FFF).contains(scalar.value) }
        for phrase in Phrase.allCases {
            let scalars = Array(Language.chinese.text(phrase).unicodeScalars)
            for (index, scalar) in scalars.enumerated() where ",.;:!?()".unicodeScalars.contains(scalar) {
                let beside = [index - 1, index + 1].filter(scalars.indices.contains).map { scalars[$0] }
                #expect(!beside.contains(where: isChinese), "\(phrase)")
            }
        }
    }

    @Test func `a browser's language is one that there is, else English`() {
        for (field, language) in [
            (nil, Language.english), ("zh-CN,zh;q=0.9", .chinese), ("it, zh;q=0.1", .chinese), ("it", .english),
            ("en-GB, zh", .english), ("ZH", .chinese), ("", .english), ("zh;q=0, *", .english),
        ] as [(String?, Language)] {
            #expect(Language(preferredBy: field) == language, "\(field ?? "-")")
        }
    }

    @Test func `every reason has a sentence, and every state a word`() {
        let sentences = Explanation.Reason.allCases.map {
            Self.words.text($0.sentence(of: nil, at: Self.words.now))
        }
        #expect(Set(sentences).count == Explanation.Reason.allCases.count)
        #expect(sentences.allSatisfy { $0.hasSuffix(".") })
        let deliveries = DeliveryReason.allCases.map { Self.words.text($0.sentence) }
        #expect(Set(deliveries).count == DeliveryReason.allCases.count)
        #expect(deliveries.allSatisfy { $0.hasSuffix(".") })
    }

    @Test func `a value that is itself in braces is no value`() {
        #expect(Self.words.text(.changeRelative, ["user": "{user}"]).contains("another user, {user}."))
        #expect(Words.parts(of: "a{b}c{d").map(\.text) == ["a", "b", "c", "d"])
    }

    @Test func `dates are of the reader's zone, with UTC where the day differs`() {
        let late = Self.instant("2026-11-04T23:30:00Z")
        #expect(Self.words.date(late) == "5\u{A0}November\u{A0}2026")
        #expect(Self.words.dateAndTime(late) == "5\u{A0}Nov 00:30")
        #expect(Self.words.utc(late) == "4\u{A0}Nov 23:30\u{A0}UTC")
        #expect(Self.words.utc(Self.instant("2026-11-04T06:02:00Z")) == "06:02\u{A0}UTC")
        #expect(Self.words.shortDate(Self.instant("2027-02-01T10:00:00Z")) == "1\u{A0}Feb\u{A0}2027")
        #expect(Zone("Nowhere/At_All") { _, _ in nil }.name == "UTC")
    }

    @Test func `what is typed is a date, a date with a time, or RFC 3339`() {
        #expect(Self.words.instant(typed: "2026-11-04 07:10") == Self.instant("2026-11-04T06:10:00Z"))
        #expect(Self.words.instant(typed: "2026-07-04") == Self.instant("2026-07-03T22:00:00Z"))
        #expect(Self.words.instant(typed: "2026-11-04T07:10:00+05:00") == Self.instant("2026-11-04T02:10:00Z"))
        for wrong in ["", "now", "4 November", "2026-13-01", "2026-02-30", "2026-11-04 25:00", "26-11-04", "1 2 3 4 5"]
        {
            #expect(Self.words.instant(typed: wrong) == nil, "\(wrong)")
        }
    }

    @Test func `numbers, money and lengths are written as people write them`() {
        #expect(Self.words.number(0) == "0" && Self.words.number(999) == "999")
        #expect(
            Self.words.number(1_234_567) == "1,234,567" && Self.words.number(-1_000) == "−1,000")
        #expect(Self.words.money(9_990, "EUR") == "€9.99" && Self.words.money(2_200_000, "JPY") == "¥2,200")
        #expect(Self.words.money(1_500, "CHF") == "1.50\u{A0}CHF" && Self.words.money(1_234, "KWD") == "1.234\u{A0}KWD")
        #expect(Self.words.money(5, "XYZ", isRaw: true) == "5 XYZ")
        let day = Instant.millisecondsPerDay
        #expect(Self.words.length(day) == "1 day" && Self.words.length(2 * day - 1) == "1 day")
        #expect(Self.words.length(3 * day) == "3 days" && Self.words.length(day / 24) == "1 hour")
        #expect(Self.words.length(0) == "0 minutes")
    }
}
