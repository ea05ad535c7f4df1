import Entitlements

/// The shapes of a drawing with their words, each once.
struct LaneLegend {
    let drawing: Drawing
    let words: Words
    let depth: (TierID) -> String

    /// A shape, with the word for the piece that it stands for.
    private struct Entry {
        let word: Phrase
        let swatch: Markup
    }

    var markup: Markup {
        let entries = entries
        guard entries.count > 1 else { return .nothing }
        return Tag.ul(.class("legend")) {
            for entry in entries {
                Tag.li {
                    entry.swatch
                    words.text(entry.word)
                }
            }
        }
    }

    private var entries: [Entry] {
        var seen: Set<Drawing.Bar.Kind> = []
        return drawing.rows.flatMap { row in
            row.bars.compactMap { bar in
                guard seen.insert(bar.kind).inserted else { return nil }
                let depth = depth(bar.tier)
                let swatch = bar.kind.state.map { LaneShapes.swatch($0, row.kind, depth) }
                return Entry(word: bar.kind.word, swatch: swatch ?? LaneShapes.waiting(depth))
            }
        }
    }
}

extension Drawing.Bar.Kind {
    /// The state whose swatch has the shape of this piece; nil for one that waits, which is no state of its own.
    fileprivate var state: Entitlement.State? {
        switch self {
        case .running, .paid: .running
        case .toCome: .queued
        case .finished: .finished
        case .waiting: nil
        case .paused: .paused
        case .cutOff: .revoked
        case .grace: .grace
        case .retried: .billingRetry
        case .suspended: .suspended
        }
    }
}
