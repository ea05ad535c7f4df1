import Entitlements

/// The stretch of time that a lane's picture shows, and the places of instants in it.
struct LaneScale: Sendable {
    /// The part of the time that the reader asks for.
    enum Range: String, CaseIterable, Sendable {
        case around
        case year
        case all
    }

    /// A mark of the axis.
    struct Tick: Sendable {
        let at: Instant
        let label: String
        /// True for a mark that carries the year.
        let isStrong: Bool
    }

    /// The whole width, in thousandths of a percent.
    static let whole = 100_000
    /// The chart's least widths in pixels at the three layouts of the stylesheet.
    static let layouts = [300, 605, 820]
    private static let day = Instant.millisecondsPerDay
    /// The longest time, in milliseconds, that is shown whole unless the reader asks for less.
    private static let longestWhole = 400 * day

    let startsAt: Instant
    let endsAt: Instant
    /// The instant of the drawing.
    let at: Instant
    /// True if some of the time is not shown, so that the reader may choose.
    let isPart: Bool
    let range: Range

    /// The scale on which all of the drawings fit; they are of one instant.
    init(_ drawing: Drawing, _ others: Drawing..., asked range: Range?) {
        at = drawing.at
        let bars = ([drawing] + others).flatMap(\.rows).flatMap(\.bars)
        let access = ([drawing] + others).flatMap(\.access)
        let ends = bars.compactMap { $0.endsAt?.writable } + access.map(\.endsAt.writable)
        let starts = bars.map(\.startsAt) + access.map(\.startsAt)
        let first = min(starts.min() ?? at, at)
        let last = max(ends.max() ?? at, at)
        isPart = last - first > Self.longestWhole
        self.range = isPart ? range ?? .around : .all
        var (start, end) = (first, last)
        switch self.range {
        case .all: break
        case .around: (start, end) = (max(first, at + -90 * Self.day), min(last, at + 400 * Self.day))
        case .year: (start, end) = (max(first, at + -365 * Self.day), min(last, at + 180 * Self.day))
        }
        let margin = max((end - start) / 25, Self.day)
        startsAt = start + -margin
        endsAt = end + margin
    }

    /// The place of an instant in thousandths of a percent, at the edge if it lies outside.
    func place(_ instant: Instant) -> Int {
        guard instant > startsAt else { return 0 }
        guard instant < endsAt else { return Self.whole }
        return Int(Double(instant - startsAt) / Double(endsAt - startsAt) * Double(Self.whole))
    }

    /// The part of a bar that is shown; nil if none is.
    func part(from start: Instant, to end: Instant?) -> Part? {
        let end = end ?? endsAt
        guard start < endsAt, end > startsAt, start < end else { return nil }
        return Part(
            x: place(start), end: place(end), isCutAtStart: start < startsAt, isCutAtEnd: end > endsAt)
    }

    /// A part of the width.
    struct Part: Sendable {
        let x: Int
        let end: Int
        /// True if it goes on beyond the edge.
        let isCutAtStart: Bool
        let isCutAtEnd: Bool

        var width: Int { end - x }
    }

    /// The marks of the axis: months, from 18 months on quarters, from four years on years.
    func ticks(_ words: Words) -> [Tick] {
        let months = Int((endsAt - startsAt) / (30 * Self.day))
        let step = months >= 48 ? 12 : months >= 18 ? 3 : 1
        let first = words.zone.time(startsAt)
        var month = CivilTime(year: first.year, month: step == 12 ? 1 : (first.month - 1) / step * step + 1, day: 1)
        var ticks: [Tick] = []
        while ticks.count < 200, let instant = words.zone.instant(month), instant < endsAt {
            if instant >= startsAt {
                let label = step == 12 ? String(month.year) : words.month(month)
                ticks.append(Tick(at: instant, label: label, isStrong: month.month == 1 && step < 12))
            }
            month = month.firstOfMonth(after: step)
        }
        return ticks
    }

    /// The width of a label in pixels, by the widest letters of its kind; a Chinese sign is as wide as high.
    static func width(of text: String) -> Int {
        text.unicodeScalars.reduce(0) { $0 + ($1.value < 0x2E80 ? 7 : 12) }
    }

    /// The class of the least layout in which a text fits into a part beside the line of today, and where it begins;
    /// nil if it fits in none.
    func label(_ text: String, in part: Part) -> (x: Int, layout: String)? {
        let pixels = Self.width(of: text) + 16
        let today = place(at)
        let pieces =
            part.x < today && today < part.end ? [(part.x, today), (today, part.end)] : [(part.x, part.end)]
        for layout in Self.layouts {
            if let piece = pieces.first(where: { ($0.1 - $0.0) * layout / Self.whole >= pixels }) {
                return (piece.0, "w\(layout)")
            }
        }
        return nil
    }
}
