/// An answer to the App Store's question how much of a purchase was used.
package struct ConsumptionAnswer: Hashable, Sendable {
    /// True if the purchase gives or gave something here.
    package let isDelivered: Bool
    /// The share that was used, 0…100000; nil where a purchase is not used up by and by.
    package let share: Int?
    package let preference: RefundPreference
    /// True if customers could try the content before they bought it.
    package let providesSamples: Bool

    package init(isDelivered: Bool, share: Int?, preference: RefundPreference, providesSamples: Bool) {
        self.isDelivered = isDelivered
        self.share = share
        self.preference = preference
        self.providesSamples = providesSamples
    }

    /// Makes the answer that an operator's policy allows. A prorated refund is asked for only where a part was used.
    init(isDelivered: Bool, share: Int?, under policy: ConsumptionPolicy) {
        let isPartlyUsed = share.map { 0 < $0 && $0 < Revocation.fullShare } ?? false
        let preference = policy.preference == .grantProrated && !isPartlyUsed ? .none : policy.preference
        self.init(
            isDelivered: isDelivered, share: share, preference: preference, providesSamples: policy.providesSamples)
    }
}

extension Timeline {
    /// Returns whether the purchase gives or gave the user something by `instant`, and which share of it was used,
    /// 0…100000 (`semantics.md` §5). The share is nil for an add-on and a plan.
    package func consumption(of key: PurchaseKey, at instant: Instant) -> (isDelivered: Bool, share: Int?) {
        guard let index = position(ofHeld: key), obstacle(to: purchases[index]) == nil,
            !hadEnded(index, by: purchases[index].boundAt)
        else { return (false, 0) }
        let share: Int
        switch purchases[index].benefit {
        case .recorded: return (false, 0)
        case .addOn, .plan: return (true, nil)
        case .pass(_, let length):
            let ran = ran(index, by: instant)
            let paid = Pass.paidLength(of: length, refunded: purchases[index].share.share(at: instant))
            share = Self.share(used: ran.before + ran.here, of: paid > 0 ? paid : length)
        case .credits(let lot):
            let held = lotBalances(at: instant).first { $0.key == key }
            // Units that did not come with a transfer were used by an earlier owner.
            let used = held.map { lot.credited - $0.credited + $0.spent } ?? 0
            share = Self.share(used: Int64(used), of: Int64(lot.credited))
        }
        return (share > 0 || !purchases[index].isRevoked(at: instant), share)
    }

    private static func share(used: Int64, of whole: Int64) -> Int {
        guard whole > 0 else { return 0 }
        return Int(min(Int128(used) * Int128(Revocation.fullShare) / Int128(whole), Int128(Revocation.fullShare)))
    }
}
