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
                Tag.thead {
                    Tag.tr {
                        for phrase in [Phrase.columnNumber, .columnWhat, .columnState, .columnFrom, .columnUntil] {
                            Tag.th(.scope("col")) { words.text(phrase) }
                        }
                    }
                }
                Tag.tbody {
                    for piece in pieces.prefix(Self.most) {
                        let name = figure.names.purchase(figure.timeline.purchases[piece.row.purchase])
                        Tag.tr {
                            Tag.td(.label(words.text(.columnNumber))) {
                                if figure.isNumbered { Tag.span(.class("number")) { String(piece.number) } }
                            }
                            Tag.th(.scope("row"), .label(words.text(.columnWhat))) { Tag.bdi { name } }
                            Tag.td(.label(words.text(.columnState))) { words.text(piece.bar.kind.word) }
                            Tag.td(.label(words.text(.columnFrom))) { words.cell(piece.bar.startsAt) }
                            Tag.td(.label(words.text(.columnUntil))) {
                                words.cell(piece.bar.endsAt, orElse: .unknownEnd)
                            }
                        }
                    }
                }
            }
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
