extension Drawing {
    /// A tier that covers, with its rank and lane.
    private struct Level: Hashable {
        let tier: TierID
        let rank: Int
        let lane: LaneID

        init(_ segment: Segment) {
            tier = segment.tier
            rank = segment.tierRank
            lane = segment.lane
        }

        /// True if this level decides the tier where both cover (`Segment.outranks`).
        func outranks(_ other: Level) -> Bool { rank != other.rank ? rank > other.rank : lane < other.lane }
    }

    /// Returns the highest tier of all coverage over time, in stretches that differ from their neighbours.
    static func access(_ coverage: [Coverage]) -> [Stretch] {
        var edges: [(at: Instant, level: Level, opens: Int)] = []
        for segment in coverage.lazy.map(\.segment) where segment.startsAt < segment.endsAt {
            edges.append((segment.startsAt, Level(segment), 1))
            edges.append((segment.endsAt, Level(segment), -1))
        }
        edges.sort { $0.at < $1.at }
        var open: [Level: Int] = [:]
        var stretches: [Stretch] = []
        var (tier, since): (TierID?, Instant?) = (nil, edges.first?.at)
        var next = edges.startIndex
        while next < edges.endIndex {
            let now = edges[next].at
            while next < edges.endIndex, edges[next].at == now {
                let count = open[edges[next].level, default: 0] + edges[next].opens
                open[edges[next].level] = count == 0 ? nil : count
                next += 1
            }
            let top = open.keys.min { $0.outranks($1) }?.tier
            guard top != tier else { continue }
            if let start = since, start < now { stretches.append(Stretch(tier: tier, startsAt: start, endsAt: now)) }
            (tier, since) = (top, now)
        }
        return stretches
    }
}
