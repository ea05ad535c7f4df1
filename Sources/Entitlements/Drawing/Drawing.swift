/// The picture of a timeline at an instant, as values: the bars of each pass and window, and the access that they give
/// together. A page only adds shapes, colours and words.
///
/// A row has a number, by which a table and other texts refer to it.
package struct Drawing: Hashable, Sendable {
    /// A stretch of time with one tier in sum, or without access.
    package struct Stretch: Hashable, Sendable {
        /// The highest tier of the coverage; nil where there is none.
        package let tier: TierID?
        package let startsAt: Instant
        package let endsAt: Instant

        package init(tier: TierID?, startsAt: Instant, endsAt: Instant) {
            self.tier = tier
            self.startsAt = startsAt
            self.endsAt = endsAt
        }

        package func covers(_ instant: Instant) -> Bool { startsAt <= instant && instant < endsAt }
    }

    /// A pass, or a plan or other window, with its bars.
    package struct Row: Hashable, Sendable {
        /// The kind of a row.
        package enum Kind: Hashable, Sendable {
            case window
            case pass
        }

        package let kind: Kind
        package let key: PurchaseKey
        /// The index of the purchase in ``Timeline/purchases``.
        package let purchase: Int
        package let lane: LaneID
        /// The tier of a pass, or of the present period of a plan.
        package let tier: Tier
        /// True if the row counts towards ``Drawing/access``.
        package let counts: Bool
        package let state: Entitlement.State
        package let reason: Explanation.Reason?
        /// The paid time of a pass that has not run yet, in milliseconds; nil for a window.
        package let left: Int64?
        /// The bars in ascending order; never empty.
        package let bars: [Bar]
    }

    /// A stretch of a pass or window in one condition.
    package struct Bar: Hashable, Sendable {
        /// The condition that a bar shows.
        package enum Kind: Hashable, Sendable, CaseIterable {
            /// The pass runs at the instant of the drawing.
            case running
            /// The pass will run.
            case toCome
            /// The pass ran.
            case finished
            /// The pass is bought, and has not run yet.
            case waiting
            /// The pass ran before and will run again.
            case paused
            /// The time that a refund or an operator took, from that moment on.
            case cutOff
            /// The window gives coverage.
            case paid
            /// The window gives coverage beyond its end.
            case grace
            /// The period is over, and the store tries to charge for the next one.
            case retried
            /// The store suspends the window before its end.
            case suspended
        }

        /// The cause of a bar.
        package enum Cause: Hashable, Sendable {
            /// Another pass of the lane runs at the start of the bar.
            case behind(PurchaseKey)
            /// The run began because another purchase was taken back at that instant.
            case freed(by: PurchaseKey)
            /// The store took back what was paid.
            case refund
            /// An operator withdrew the purchase.
            case withdrawal
            /// The store grants the time.
            case grant
            /// This server waits for news of the renewal.
            case leeway
        }

        package let kind: Kind
        package let tier: TierID
        package let startsAt: Instant
        /// The end, exclusive; nil if it is not known.
        package let endsAt: Instant?
        package let cause: Cause?

        package init(_ kind: Kind, _ tier: TierID, from startsAt: Instant, to endsAt: Instant?, cause: Cause? = nil) {
            self.kind = kind
            self.tier = tier
            self.startsAt = startsAt
            self.endsAt = endsAt
            self.cause = cause
        }
    }

    package let at: Instant
    /// The access in sum, without gaps from the first coverage to the last end; empty if nothing ever covers.
    package let access: [Stretch]
    /// The rows from the top. Production comes before Sandbox, windows before passes, then by lane, the highest tier
    /// first, then by the first run.
    package let rows: [Row]

    /// Draws a timeline as it is at `at`. Planned time after `at` is drawn too.
    package init(of timeline: Timeline, at: Instant) {
        let moment = Moment(of: timeline, at: at)
        self.at = at
        access = Self.access(moment.coverage)
        let lanes = LaneRuns.all(in: timeline)
        let rows = timeline.purchases.indices.compactMap { Self.row($0, in: moment, lanes) }
        let order = rows.indices.sorted { (rows[$0].place, $0) < (rows[$1].place, $1) }
        self.rows = order.map { rows[$0] }
    }

    /// The number of the row of a purchase, counted from 1; nil if it has none.
    package func number(of key: PurchaseKey) -> Int? { rows.firstIndex { $0.key == key }.map { $0 + 1 } }

    private static func row(_ index: Int, in moment: Moment, _ lanes: [LaneRuns.Place: LaneRuns]) -> Row? {
        let purchase = moment.timeline.purchases[index]
        let counts = moment.timeline.counts(purchase.key.environment)
        let doing = moment.doings[index]
        switch purchase.benefit {
        case .pass(let tier, let length):
            let place = LaneRuns.Place(lane: tier.lane, environment: purchase.key.environment)
            let bars = bars(ofPass: index, of: tier, length: length, in: moment, beside: lanes[place] ?? LaneRuns())
            guard !bars.isEmpty else { return nil }
            let ran = moment.timeline.ran(index, by: moment.at)
            let paid = Pass.paidLength(of: length, refunded: purchase.share.share(at: moment.at))
            return Row(
                kind: .pass, key: purchase.key, purchase: index, lane: tier.lane, tier: tier, counts: counts,
                state: doing.state, reason: doing.reason, left: max(0, paid - ran.before - ran.here), bars: bars)
        case .plan(let windows):
            let bars = bars(ofWindows: windows, index, in: moment)
            guard !bars.isEmpty, let tier = moment.presentPeriods[index]?.tier else { return nil }
            return Row(
                kind: .window, key: purchase.key, purchase: index, lane: tier.lane, tier: tier, counts: counts,
                state: doing.state, reason: doing.reason, left: nil, bars: bars)
        case .recorded, .addOn, .credits: return nil
        }
    }
}

extension Drawing.Row {
    package var isSandbox: Bool { key.environment == .sandbox }

    /// The start of the first run or coverage; for a pass that never runs, that of its first bar.
    package var beginsAt: Instant {
        bars.first { $0.kind != .waiting }?.startsAt ?? bars[0].startsAt
    }

    /// The place of the row in the order of the drawing.
    fileprivate var place: Place {
        Place(isSandbox: isSandbox, isPass: kind == .pass, lane: lane, rank: tier.rank, beginsAt: beginsAt)
    }

    /// The place of a row, from the top.
    fileprivate struct Place: Comparable {
        let isSandbox: Bool
        let isPass: Bool
        let lane: LaneID
        let rank: Int
        let beginsAt: Instant

        static func < (left: Place, right: Place) -> Bool {
            if left.isSandbox != right.isSandbox { return right.isSandbox }
            if left.isPass != right.isPass { return right.isPass }
            if left.lane != right.lane { return left.lane < right.lane }
            if left.rank != right.rank { return left.rank > right.rank }
            return left.beginsAt < right.beginsAt
        }
    }
}
