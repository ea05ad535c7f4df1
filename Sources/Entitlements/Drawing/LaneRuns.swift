/// The runs of the passes of one lane in one environment, and what was taken from passes there.
struct LaneRuns {
    /// A lane in one environment; it has a clock of its own.
    struct Place: Hashable {
        let lane: LaneID
        let environment: StoreEnvironment
    }

    /// The runs in ascending order; they do not overlap.
    private var runs: [Coverage] = []
    /// The purchases whose run a refund or an operator ended, by that instant.
    private var takenAt: [Instant: PurchaseKey] = [:]

    /// Returns the runs of all lanes in which passes run.
    static func all(in timeline: Timeline) -> [Place: LaneRuns] {
        var lanes: [Place: LaneRuns] = [:]
        for piece in timeline.planned {
            guard piece.window == nil else { continue }
            let purchase = timeline.purchases[piece.purchase]
            let place = Place(lane: piece.segment.lane, environment: purchase.key.environment)
            lanes[place, default: LaneRuns()].runs.append(piece)
            if purchase.share.rises(at: piece.segment.endsAt) {
                lanes[place, default: LaneRuns()].takenAt[piece.segment.endsAt] = purchase.key
            }
        }
        return lanes
    }

    /// The purchase that runs at `instant`, unless it is `purchase`; nil if none does.
    func runner(at instant: Instant, besides purchase: Int) -> PurchaseKey? {
        var (low, high) = (runs.startIndex, runs.endIndex)
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].segment.startsAt <= instant { low = middle + 1 } else { high = middle }
        }
        guard low > runs.startIndex, runs[low - 1].covers(instant), runs[low - 1].purchase != purchase else {
            return nil
        }
        return runs[low - 1].segment.key
    }

    /// The purchase that was taken back at `instant` while it ran, unless it is `key`; nil if none was.
    func taken(at instant: Instant, besides key: PurchaseKey) -> PurchaseKey? {
        takenAt[instant].flatMap { $0 == key ? nil : $0 }
    }
}
