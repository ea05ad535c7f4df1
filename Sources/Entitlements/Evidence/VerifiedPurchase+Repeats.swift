extension VerifiedPurchase {
    /// Whether ledgers need not hold this state beside the others of `states`: whatever was signed at once with it or last
    /// before it, of the same transaction, says the same (`semantics.md` §1).
    ///
    /// States that were signed at once have no order by time, so one that says otherwise makes all of them count.
    package func isRepeat(among states: [VerifiedPurchase]) -> Bool {
        var last: (signedAt: Instant, saysTheSame: Bool)?
        for other in states where other.signedAt <= signedAt && other.transactionID == transactionID {
            let saysTheSame = hasSameContent(as: other)
            if other.signedAt == signedAt {
                guard saysTheSame else { return false }
            } else if other.signedAt > last?.signedAt ?? .distantPast {
                last = (other.signedAt, saysTheSame)
            } else if other.signedAt == last?.signedAt, !saysTheSame {
                last?.saysTheSame = false
            }
        }
        return last?.saysTheSame ?? false
    }

    /// Those of `states` that are repeats without this one and none beside it: signed at once with it, or next after it.
    package func endingRepeats(among states: [VerifiedPurchase]) -> [VerifiedPurchase] {
        let later = states.filter { $0.signedAt >= signedAt && $0.transactionID == transactionID }
        let next = later.lazy.map(\.signedAt).filter { $0 > self.signedAt }.min()
        return later.filter { state in
            (state.signedAt == signedAt || state.signedAt == next)
                && state.isRepeat(among: states) && !state.isRepeat(among: states + [self])
        }
    }
}
