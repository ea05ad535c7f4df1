import Entitlements

/// A lane before and after an act, on one axis. What the act would add has a halo, and a plus for its number.
struct PreviewFigure {
    /// The most rows below the access after the act.
    private static let mostRows = 12

    let before: LaneFigure
    let after: LaneFigure

    init(before: Timeline, after: Timeline, at instant: Instant, _ names: Names) {
        let (old, new) = (Drawing(of: before, at: instant), Drawing(of: after, at: instant))
        let scale = LaneScale(old, new, asked: nil)
        self.before = LaneFigure(drawing: old, timeline: before, names: names, scale: scale, link: nil)
        self.after = LaneFigure(drawing: new, timeline: after, names: names, scale: scale, link: nil)
    }

    private var words: Words { after.names.words }

    var markup: Markup {
        guard !before.drawing.access.isEmpty || !after.drawing.access.isEmpty || !lines.isEmpty else { return .nothing }
        return Tag.figure(.class("lane"), .ariaLabel(words.text(.previewLane))) {
            after.axis
            Tag.div(.class("chart")) {
                after.background
                Tag.div(.class("group-heading")) { words.text(.columnBefore) }
                before.accessRow(note: "")
                Tag.div(.class("group-heading")) { words.text(.columnAfter) }
                after.accessRow(note: "")
                for line in lines { after.row(line) }
                after.overlay()
            }
            Tag.figcaption(.class("unseen")) {
                words.joined(
                    [(Phrase.columnBefore, before), (.columnAfter, after)].map { name, figure in
                        words.text(.named, ["name": words.text(name), "text": figure.sentence])
                    }, by: .nextSentence)
            }
        }
    }

    /// The rows that the act would add or change, and those that run.
    private var lines: [LaneFigure.Line] {
        let old = Dictionary(before.drawing.rows.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
        let shown = after.drawing.rows.filter { row in
            guard let known = old[row.key] else { return true }
            return known.bars != row.bars || known.counts != row.counts || row.state == .running
        }
        return shown.prefix(Self.mostRows).map { row in
            let known = old[row.key]
            return LaneFigure.Line(
                number: before.isNumbered ? before.drawing.number(of: row.key) : nil, isNew: known == nil,
                name: after.names.purchase(after.timeline.purchases[row.purchase])
                    + (row.isSandbox ? " [" + words.text(.sandbox) + "]" : ""),
                note: note(row, known), bars: row.bars)
        }
    }

    private func note(_ row: Drawing.Row, _ known: Drawing.Row?) -> String {
        guard let known else { return words.text(.noteNew) }
        guard known.bars != row.bars || known.counts != row.counts else { return words.text(.noteUnchanged) }
        let shift = row.beginsAt - known.beginsAt
        guard shift != 0, row.bars.count == known.bars.count, row.state == known.state else { return after.note(row) }
        return words.text(shift > 0 ? .noteMovesBack : .noteMovesUp, ["length": words.length(abs(shift))])
    }
}
