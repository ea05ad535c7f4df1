extension Purchase {
    /// True if the user has the purchase at `instant`.
    package func isHeld(at instant: Instant) -> Bool { tenures.contains { $0.holds(at: instant) } }

    /// True if the purchase went to another user by `instant` and has not come back.
    package func isGone(at instant: Instant) -> Bool {
        tenures.last { $0.hasBegun(by: instant) }?.hasEnded(by: instant) ?? false
    }

    /// True if the user has the purchase, as far as is known: it did not go to another user, or came back.
    package var isHeld: Bool { tenures.last?.endsAt == nil }

    /// Returns the parts of `intervals` in which the user has the purchase.
    func held(_ intervals: [Interval]) -> [Interval] {
        tenures.flatMap { tenure in intervals.compactMap { tenure.part(of: $0) } }
    }

    /// The passes for the clock of the lane, one for each tenure; empty if the purchase is no pass, or gives nothing.
    ///
    /// After a transfer the receiver's pass is anchored at the transfer. The time that the pass ran before the transfer
    /// counts as run (`semantics.md` §5).
    package var passes: [Pass] {
        guard case .pass(let tier, let length) = benefit else { return [] }
        return tenures.map { tenure in
            Pass(
                key: key, anchor: tenure.startsAt.map { max($0, anchor) } ?? anchor, length: length, rank: tier.rank,
                share: share, ranBefore: tenure.arrival?.ran ?? 0, departure: tenure.passDeparture)
        }
    }

    /// The windows of a plan; empty for any other purchase.
    package var windows: [Window] {
        guard case .plan(let windows) = benefit else { return [] }
        return windows
    }

    /// The end of the newest period of a chain, whether nothing says what follows it, and whether grace is told without
    /// its end; nil for a purchase that is no chain.
    package var newestEnd: (at: Instant, isUntold: Bool, isGraceUndated: Bool)? {
        windows.last.map { ($0.endsAt, $0.isUntold, $0.isGraceUndated) }
    }
}

extension Timeline {
    /// Returns the index in `purchases` of the purchase with this key; nil if the user never had it, or gave it away,
    /// now or from a later instant on.
    package func position(ofHeld key: PurchaseKey) -> Int? {
        purchases.firstIndex { $0.key == key && $0.isHeld }
    }
}

extension Tenure {
    fileprivate var passDeparture: Pass.Departure? {
        guard let endsAt, let departure else { return nil }
        return Pass.Departure(at: endsAt, ran: departure.ran)
    }
}
