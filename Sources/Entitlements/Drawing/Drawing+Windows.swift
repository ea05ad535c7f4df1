extension Drawing {
    /// Returns the bars of a purchase's windows. Periods that touch are one bar.
    static func bars(ofWindows windows: [Window], _ index: Int, in moment: Moment) -> [Bar] {
        let purchase = moment.timeline.purchases[index]
        let pieces = moment.pieces[index].filter(\.isGrace)
        var bars = windows.flatMap { Self.bars(of: $0, held: purchase, in: moment) }
        bars += pieces.map { piece in
            let segment = piece.segment
            return Bar(
                .grace, segment.tier, from: segment.startsAt, to: segment.endsAt,
                cause: piece.isLeeway ? .leeway : .grant)
        }
        if let window = windows.last(where: { $0.isInRetry(at: moment.at) }), !purchase.isGone(at: moment.at) {
            let start = pieces.lazy.map(\.segment.endsAt).filter { $0 > window.endsAt }.max() ?? window.endsAt
            bars.append(Bar(.retried, window.tier.id, from: start, to: nil))
        }
        let order = bars.indices.sorted { (bars[$0].startsAt, $0) < (bars[$1].startsAt, $1) }
        return order.map { bars[$0] }.reduce(into: []) { joined, bar in
            guard let last = joined.last, last.kind == .paid, bar.kind == .paid, last.tier == bar.tier,
                last.endsAt == bar.startsAt
            else { return joined.append(bar) }
            joined[joined.count - 1] = Bar(.paid, bar.tier, from: last.startsAt, to: bar.endsAt)
        }
    }

    /// Returns the parts of one window that cover, and of those between them the ones that are taken back or suspended.
    private static func bars(of window: Window, held purchase: Purchase, in moment: Moment) -> [Bar] {
        let covered = window.covered
        var bars = purchase.held(covered).map { Bar(.paid, window.tier.id, from: $0.startsAt, to: $0.endsAt) }
        var start = window.startsAt
        for part in covered + [Interval(startsAt: window.endsAt, endsAt: nil)] {
            if let kind = kind(ofGapAt: start, in: window), start < part.startsAt {
                bars += purchase.held([Interval(startsAt: start, endsAt: part.startsAt)]).map {
                    Bar(
                        kind, window.tier.id, from: $0.startsAt, to: $0.endsAt,
                        cause: kind == .cutOff ? purchase.takeback(by: start) : nil)
                }
            }
            start = part.endsAt ?? start
        }
        return bars
    }

    /// Returns the kind of a part in which a window gives no coverage; nil if another period took its place.
    private static func kind(ofGapAt instant: Instant, in window: Window) -> Bar.Kind? {
        guard window.revocations.share(at: instant) == 0 else { return .cutOff }
        return window.isSuspended(at: instant) ? .suspended : nil
    }
}
