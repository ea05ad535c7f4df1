import Entitlements

/// The pieces of a drawing as a table, by the same numbers.
struct LaneTable {
    /// The most pieces that a table lists, the last first.
    private static let most = 100

    let figure: LaneFigure

    private var words: Words { figure.names.words }

    var markup: Markup {
        let pieces = figure.drawing.rows.enumerated().flatMap { number, row in
            row.bars.map { (number: number + 1, row: row, bar: $0) }
        }.sorted { $0.bar.startsAt > $1.bar.startsAt }
        guard !pieces.isEmpty else { return .nothing }
        return Tag.details(.class("as-table")) {
            Tag.summary { words.count(pieces.count, .sameAsTableOne, .sameAsTable) }
            Tag.table(.role("table")) {
                Shell.head(words, [.columnNumber, .columnWhat, .columnState, .columnFrom, .columnUntil])
                Tag.tbody(.role("rowgroup")) {
                    for piece in pieces.prefix(Self.most) { row(piece.bar, of: piece.row, piece.number) }
                }
            }
            if pieces.count > Self.most {
                Tag.p { words.text(.andMore, ["n": words.number(pieces.count - Self.most)]) }
            }
        }
    }

    private func row(_ bar: Drawing.Bar, of row: Drawing.Row, _ number: Int) -> Markup {
        Shell.row {
            Shell.cell(words, .columnNumber) {
                if figure.isNumbered { Tag.span(.class("number")) { String(number) } }
            }
            Shell.name(words, .columnWhat) {
                Tag.bdi { figure.names.purchase(figure.timeline.purchases[row.purchase]) }
                Shell.sandbox(words, if: row.key.environment)
            }
            Shell.cell(words, .columnState) { words.text(bar.kind.word) }
            Shell.cell(words, .columnFrom) { words.cell(bar.startsAt) }
            Shell.cell(words, .columnUntil) { words.cell(bar.endsAt, orElse: .unknownEnd) }
        }
    }
}

extension Drawing.Bar.Kind {
    /// The word for a piece in a table.
    var word: Phrase {
        switch self {
        case .running: .barRunning
        case .toCome: .barToCome
        case .finished: .barFinished
        case .waiting: .barWaiting
        case .paused: .barPaused
        case .cutOff: .barCutOff
        case .paid: .barPaid
        case .grace: .barGrace
        case .retried: .barRetried
        case .suspended: .barSuspended
        }
    }
}
