/// Attaches one verified purchase to a signed-in user: bound exactly once, or refused (`semantics.md` §5).
package struct Attach: Sendable {
    package let purchase: VerifiedPurchase
    package let user: UserID
    /// The `appTransactionId` of a verified AppTransaction that came with the request.
    package let proof: AppTransactionID?
    package let rules: ClaimRules

    package init(_ purchase: VerifiedPurchase, to user: UserID, proof: AppTransactionID?, under rules: ClaimRules) {
        self.purchase = purchase
        self.user = user
        self.proof = proof
        self.rules = rules
    }

    package func decide(given history: PurchaseHistory) -> Decision<Claim, AttachRefusal> {
        switch history.claim(on: purchase.key, by: user, proof: proof, under: rules) {
        case .success(.alreadyTheirs): Decision(answer: .success(.alreadyTheirs))
        case .success(.unowned): Decision(bindings: [purchase.key: user], answer: .success(.unowned))
        case .failure(let refusal): Decision(answer: .failure(refusal))
        }
    }

    /// The instant for which an attach is answered: `now`, or the purchase or signing just recorded when it lies up to
    /// five minutes ahead (`semantics.md` §2).
    package static func answeredAt(_ now: Instant, recording purchases: [VerifiedPurchase]) -> Instant {
        purchases.flatMap { [$0.purchasedAt, $0.signedAt] }.filter { $0 <= now + forgivenDifference }.reduce(now, max)
    }

    private static let forgivenDifference: Int64 = 5 * 60_000
}
