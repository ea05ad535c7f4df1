import Entitlements

/// A lane drawn: an axis, the access in sum, and a row for each pass and window; then the same as a table.
struct LaneFigure {
    /// The most passes, and the most windows, that have a row each. More of them share a row for each tier.
    static let mostRows = 12
    /// The number of gaps that would fill the whole width. A shorter gap between two bars is not drawn.
    private static let gapsInWidth: Int64 = 1_000
    private static let accessHeight = 56
    private static let headingHeight = 32

    let drawing: Drawing
    let timeline: Timeline
    let names: Names
    let scale: LaneScale
    /// The link to this page with another range; nil where the range is not the reader's choice.
    let link: ((LaneScale.Range) -> Link)?
    /// True if the rows have the numbers by which tables and texts refer to them.
    let isNumbered: Bool
    /// The class of each tier's depth of colour: the lowest that is sold is the lightest.
    private let depths: [TierID: String]

    init(
        drawing: Drawing, timeline: Timeline, names: Names, scale: LaneScale, link: ((LaneScale.Range) -> Link)?
    ) {
        self.drawing = drawing
        self.timeline = timeline
        self.names = names
        self.scale = scale
        self.link = link
        isNumbered = [Drawing.Row.Kind.pass, .window].allSatisfy { kind in
            drawing.rows.count { $0.kind == kind && !$0.isSandbox } <= Self.mostRows
        }
        let catalogue = timeline.catalogue.latest.catalogue
        let sold = Set(drawing.rows.map(\.tier)).union(catalogue.tiers).filter { $0.id != catalogue.defaultTier }
        let ranks = Set(sold.map(\.rank)).sorted()
        depths = Dictionary(
            sold.map { tier in
                let place = ranks.firstIndex(of: tier.rank) ?? 0
                return (tier.id, ranks.count > 1 ? "t\(min(place, 2) + 1)" : "t2")
            }, uniquingKeysWith: { first, _ in first })
    }

    private var words: Words { names.words }

    /// A row of the picture.
    struct Line {
        var number: Int?
        /// True for what an act would add.
        var isNew = false
        let name: String
        let note: String
        let bars: [Drawing.Bar]
    }

    /// Rows below one heading.
    private struct Group {
        let heading: Markup
        let lines: [Line]
    }

    var markup: Markup {
        guard !drawing.rows.isEmpty || !drawing.access.isEmpty else { return empty }
        let groups = groups
        return LaneShapes.patterns
            + Tag.figure(.class("lane"), .ariaLabel(words.text(.laneTitle))) {
                axis
                Tag.div(.class("chart")) {
                    background
                    accessRow(note: accessNote)
                    for group in groups {
                        Tag.div(.class("group-heading")) { group.heading }
                        for line in group.lines { row(line) }
                    }
                    overlay(groups)
                }
                Tag.figcaption(.class("unseen")) { sentence }
            }
    }

    private var empty: Markup {
        Tag.div(.class("empty")) {
            Tag.p { Tag.strong { words.text(.laneEmpty) } }
            Tag.p { words.text(.laneEmptyHint) }
        }
    }

    // MARK: Rows

    private var groups: [Group] {
        var groups: [Group] = []
        for isSandbox in [false, true] {
            let rows = drawing.rows.filter { $0.isSandbox == isSandbox }
            let mark = isSandbox ? Markup(" ") + Shell.sandbox(words) : .nothing
            let windows = rows.filter { $0.kind == .window }
            if !windows.isEmpty {
                groups.append(
                    Group(
                        heading: Markup(words.text(.lanePlans)) + mark,
                        lines: windows.count > Self.mostRows ? linesByTier(windows) : windows.map(line)))
            }
            let passes = rows.filter { $0.kind == .pass }
            let lanes = Set(passes.map(\.lane)).sorted()
            for lane in lanes {
                let rows = passes.filter { $0.lane == lane }
                let isByTier = passes.count > Self.mostRows
                let title =
                    lanes.count > 1
                    ? words.text(.lanePassesOf, ["lane": lane.text])
                    : isByTier ? words.text(.passesByTier, ["n": words.number(rows.count)]) : words.text(.lanePasses)
                groups.append(
                    Group(heading: Markup(title) + mark, lines: isByTier ? linesByTier(rows) : rows.map(line)))
            }
        }
        return groups
    }

    private func line(_ row: Drawing.Row) -> Line {
        let purchase = timeline.purchases[row.purchase]
        return Line(
            number: isNumbered ? drawing.number(of: row.key) : nil, name: names.purchase(purchase), note: note(row),
            bars: row.bars)
    }

    /// Lines for many rows: one for each tier, and one for the time that was cut off.
    private func linesByTier(_ rows: [Drawing.Row]) -> [Line] {
        var tiers: [Tier] = []
        for row in rows where !tiers.contains(where: { $0.id == row.tier.id }) { tiers.append(row.tier) }
        return tiers.flatMap { tier -> [Line] in
            let rows = rows.filter { $0.tier.id == tier.id }
            let counts = [
                (Entitlement.State.running, Phrase.countRunning), (.queued, .countToCome), (.paused, .countPaused),
            ].compactMap { state, phrase -> String? in
                let count = rows.count { $0.state == state }
                return count > 0 ? words.text(phrase, ["n": words.number(count)]) : nil
            }
            let older = rows.count { $0.bars.last?.endsAt.map { $0 <= scale.startsAt } ?? false }
            let undrawn = older > 0 ? [words.text(.laneOlder, ["n": words.number(older)])] : []
            let bars = rows.flatMap(\.bars).sorted { $0.startsAt < $1.startsAt }
            let name = words.text(
                .tierPasses,
                [
                    "tier": names.tier(tier.id),
                    "passes": rows[0].kind == .pass
                        ? words.count(rows.count, .onePass, .passes) : words.count(rows.count, .oneThing, .things),
                ])
            let running = bars.filter { $0.kind != .cutOff && $0.kind != .waiting }
            let cut = bars.filter { $0.kind == .cutOff }
            let line = Line(name: name, note: words.joined(counts + undrawn, by: .listed), bars: joined(running))
            guard !cut.isEmpty else { return [line] }
            return [
                line, Line(name: words.text(.cutOffOf, ["tier": names.tier(tier.id)]), note: "", bars: joined(cut)),
            ]
        }
    }

    /// Joins bars of one kind between which no gap is to be seen, so that a long history stays a small picture.
    private func joined(_ bars: [Drawing.Bar]) -> [Drawing.Bar] {
        let gap = (scale.endsAt - scale.startsAt) / Self.gapsInWidth
        return bars.reduce(into: []) { joined, bar in
            guard let last = joined.last, last.kind == bar.kind, let end = last.endsAt, bar.startsAt - end <= gap
            else { return joined.append(bar) }
            let later = bar.endsAt.map { max($0, end) }
            joined[joined.count - 1] = Drawing.Bar(bar.kind, bar.tier, from: last.startsAt, to: later)
        }
    }

    func note(_ row: Drawing.Row) -> String {
        let state = words.text(row.state.word(of: timeline.purchases[row.purchase], at: drawing.at))
        let cut = row.bars.filter { $0.kind == .cutOff }.reduce(Int64(0)) {
            $0 + (($1.endsAt ?? $1.startsAt) - $1.startsAt)
        }
        if cut > 0, row.state == .revoked || row.state == .finished {
            return words.text(.noteCutOff, ["state": state, "length": words.length(cut)])
        }
        if let left = row.left, left > 0, row.state == .paused || row.state == .running {
            return words.text(.noteLeft, ["state": state, "length": words.length(left)])
        }
        return row.counts ? state : words.text(.noteNotCounted, ["state": state])
    }

    func row(_ line: Line) -> Markup {
        Tag.div(.class("row")) {
            Tag.div(.class("gutter")) {
                if line.isNew {
                    Tag.span(.class("number new")) { "+" }
                } else if let number = line.number {
                    Tag.span(.class("number")) { String(number) }
                }
                Tag.div(.class("row-name")) {
                    Tag.span(.class("name")) { Tag.bdi { line.name } }
                    Tag.small { line.note }
                }
            }
            picture(height: LaneShapes.height) {
                if line.isNew { Markup(line.bars.map(shapes.halo)) }
                Markup(line.bars.map(shapes.bar))
                Markup(line.bars.map(label))
            }
        }
    }

    func accessRow(note: String) -> Markup {
        Tag.div(.class("row access")) {
            Tag.div(.class("gutter")) {
                Tag.div(.class("row-name")) {
                    Tag.span(.class("name")) { words.text(.laneAccess) }
                    Tag.small { note }
                }
            }
            picture(height: Self.accessHeight) {
                Markup(drawing.access.map(shapes.access))
                tail
                Markup(drawing.access.map(accessLabel))
            }
        }
    }

    /// The words below the access in sum: since when it is there, if that is before the picture begins.
    private var accessNote: String {
        var (start, end) = (scale.startsAt, scale.startsAt)
        for stretch in drawing.access where stretch.tier != nil && stretch.startsAt < scale.startsAt {
            start = stretch.startsAt == end ? start : stretch.startsAt
            end = stretch.endsAt
        }
        guard start < scale.startsAt, end > scale.startsAt else { return words.text(.laneAccessNote) }
        return words.text(.laneSince, ["date": words.date(start)])
    }

    /// The time after the last end, without access.
    private var tail: Markup {
        guard let end = drawing.access.last?.endsAt, end < scale.endsAt else { return .nothing }
        return shapes.dots(from: scale.place(end), to: LaneScale.whole, y: 28, "none")
    }

    private func picture(height: Int, @MarkupBuilder content: () -> Markup) -> Markup {
        Tag.svg(
            .width(.percent(thousandths: LaneScale.whole)), .height(.px(height)), .hidden, .noFocus, content: content)
    }

    private var shapes: LaneShapes { LaneShapes(scale: scale, depth: depth) }

    /// The class of a tier's depth of colour.
    func depth(_ tier: TierID) -> String { depths[tier] ?? "t2" }

    // MARK: Labels

    private func label(_ bar: Drawing.Bar) -> Markup {
        guard let part = scale.part(from: bar.startsAt, to: bar.endsAt) else { return .nothing }
        let (text, name): (String, String)
        switch bar.kind {
        case .toCome: (text, name) = (words.text(.labelFrom, ["date": words.shortDate(bar.startsAt)]), "on-soft")
        case .running:
            (text, name) = (words.text(.labelTo, ["date": words.shortDate(bar.endsAt ?? scale.endsAt)]), "on-solid")
        case .paid:
            (text, name) = (words.text(.labelTo, ["date": words.shortDate(bar.endsAt ?? scale.endsAt)]), "on-soft")
        case .finished, .waiting, .paused, .cutOff, .grace, .retried, .suspended: return .nothing
        }
        return label(text, name + " " + depth(bar.tier), in: part, y: 25)
    }

    private func accessLabel(_ stretch: Drawing.Stretch) -> Markup {
        guard let part = scale.part(from: stretch.startsAt, to: stretch.endsAt), let tier = stretch.tier else {
            return .nothing
        }
        let name = (stretch.startsAt > scale.at ? "on-soft " : "on-solid ") + depth(tier)
        let short = names.tier(tier)
        let long = words.text(.labelTier, ["tier": short, "date": words.shortDate(stretch.endsAt)])
        let text = stretch.endsAt <= scale.at || scale.label(long, in: part) == nil ? short : long
        return label(text, name, in: part, y: 33)
    }

    private func label(_ text: String, _ name: String, in part: LaneScale.Part, y: Int) -> Markup {
        guard let (x, layout) = scale.label(text, in: part) else { return .nothing }
        return Tag.text(
            .class("label \(name) \(layout)"), .x(.percent(thousandths: x)), .dx(.px(8)), .y(.px(y))
        ) { text }
    }

    // MARK: Axis and lines

    var axis: Markup {
        let today = scale.place(scale.at)
        let flag = words.text(isNow ? .laneToday : .laneAsOf, ["date": words.shortDate(scale.at)])
        let width = LaneScale.width(of: flag) + 20
        let shift = today < 12_000 ? 0 : today > 88_000 ? -width : -width / 2
        return Tag.div(.class("row axis")) {
            Tag.div(.class("gutter")) {
                if scale.isPart, let link { choices(link) }
            }
            picture(height: 48) {
                for tick in scale.ticks(words) where scale.place(tick.at) < 96_000 {
                    Tag.text(
                        .class(tick.isStrong ? "tick strong" : "tick"), .x(.percent(thousandths: scale.place(tick.at))),
                        .dx(.px(4)), .y(.px(14))
                    ) { tick.label }
                }
                Tag.svg(.x(.percent(thousandths: today)), .class("over")) {
                    Tag.rect(
                        .class("flag"), .x(.px(shift)), .y(.px(24)), .width(.px(width)), .height(.px(20)), .rx(.px(10)))
                    Tag.text(.class("flag-text"), .x(.px(shift + width / 2)), .y(.px(38)), .anchor("middle")) { flag }
                }
            }
        }
    }

    private var isNow: Bool { drawing.at == words.now }

    private func choices(_ link: (LaneScale.Range) -> Link) -> Markup {
        Tag.span(.class("choices")) {
            for range in LaneScale.Range.allCases {
                let name = words.text(range.phrase)
                if range == scale.range {
                    Tag.strong { name }
                } else {
                    Tag.a(.href(link(range))) { name }
                }
            }
        }
    }

    var background: Markup {
        Tag.svg(.class("behind"), .hidden, .noFocus) {
            Tag.rect(
                .class("past"), .x(.px(0)), .y(.px(0)), .width(.percent(thousandths: scale.place(scale.at))),
                .height(.percent(thousandths: LaneScale.whole)))
            for tick in scale.ticks(words) {
                vertical("month", at: scale.place(tick.at))
            }
        }
    }

    private func vertical(_ name: String, at place: Int) -> Markup {
        Tag.line(
            .class(name), .x1(.percent(thousandths: place)), .x2(.percent(thousandths: place)), .y1(.px(0)),
            .y2(.percent(thousandths: LaneScale.whole)))
    }

    private func overlay(_ groups: [Group]) -> Markup { overlay(Markup(freed(groups))) }

    /// The line of today, above all rows, and `content` below it.
    func overlay(_ content: Markup = .nothing) -> Markup {
        Tag.svg(.class("above"), .hidden, .noFocus) {
            content
            vertical("today-ground", at: scale.place(scale.at))
            vertical(isNow ? "today" : "today then", at: scale.place(scale.at))
        }
    }

    /// The thin lines from a refund down to the pass that started because of it.
    private func freed(_ groups: [Group]) -> [Markup] {
        guard isNumbered else { return [] }
        var middles: [Int: Int] = [:]
        var y = Self.accessHeight
        for group in groups {
            y += Self.headingHeight
            for line in group.lines {
                if let number = line.number { middles[number] = y + LaneShapes.height / 2 }
                y += LaneShapes.height
            }
        }
        return drawing.rows.flatMap { row in
            row.bars.compactMap { bar -> Markup? in
                guard case .freed(let key)? = bar.cause, scale.part(from: bar.startsAt, to: bar.endsAt) != nil,
                    bar.startsAt >= scale.startsAt, let from = drawing.number(of: key).flatMap({ middles[$0] }),
                    let to = drawing.number(of: row.key).flatMap({ middles[$0] })
                else { return nil }
                let place = Length.percent(thousandths: scale.place(bar.startsAt))
                let ends = (min(from, to) + (from < to ? 6 : 11), max(from, to) - (from < to ? 11 : 6))
                return Tag.line(.class("freed"), .x1(place), .x2(place), .y1(.px(ends.0)), .y2(.px(ends.1)))
            }
        }
    }

    // MARK: In words

    /// The whole picture in one sentence.
    var sentence: String {
        let parts = drawing.access.suffix(8).map { stretch in
            words.text(
                .laneStretch,
                [
                    "tier": stretch.tier.map { names.tier($0) } ?? words.text(.noAccess),
                    "from": words.date(stretch.startsAt), "to": words.date(stretch.endsAt),
                ])
        }
        return words.text(.laneSentence, ["list": words.joined(Array(parts), by: .clauses)])
    }
}

extension LaneScale.Range {
    fileprivate var phrase: Phrase {
        switch self {
        case .around: .rangeAround
        case .year: .rangeYear
        case .all: .rangeAll
        }
    }
}
