import Entitlements

/// The shapes of a drawing with their words, each once.
struct LaneLegend {
    let drawing: Drawing
    let words: Words
    let depth: (TierID) -> String

    /// A shape: the piece that it stands for first, and the state whose swatch shows it.
    private struct Entry {
        let word: Phrase
        let state: Entitlement.State
        let kind: Drawing.Row.Kind
        let depth: String
    }

    var markup: Markup {
        let entries = entries
        guard entries.count > 1 else { return .nothing }
        return Tag.ul(.class("legend")) {
            for entry in entries {
                Tag.li {
                    LaneShapes.swatch(entry.state, entry.kind, entry.depth)
                    words.text(entry.word)
                }
            }
        }
    }

    private var entries: [Entry] {
        var seen: Set<Drawing.Bar.Kind> = []
        return drawing.rows.flatMap { row in
            row.bars.compactMap { bar in
                guard let state = bar.kind.swatch, seen.insert(bar.kind).inserted else { return nil }
                return Entry(word: bar.kind.word, state: state, kind: row.kind, depth: depth(bar.tier))
            }
        }
    }
}

extension Drawing.Bar.Kind {
    /// The state whose swatch has the shape of this piece.
    fileprivate var swatch: Entitlement.State? {
        switch self {
        case .running, .paid: .running
        case .toCome: .queued
        case .finished: .finished
        case .waiting: .recorded
        case .paused: .paused
        case .cutOff: .revoked
        case .grace: .grace
        case .retried: .billingRetry
        case .suspended: .suspended
        }
    }
}
