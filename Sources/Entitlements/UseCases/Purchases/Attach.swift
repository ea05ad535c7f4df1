/// Attaches one verified purchase to a signed-in user. The purchase is bound, is transferred, or is refused
/// (`semantics.md` §5).
package struct Attach: Sendable {
    package let purchase: VerifiedPurchase
    package let user: UserID
    /// The Apple account, if the request proved one.
    package let proof: AccountProof?
    package let context: ClaimContext

    package init(_ purchase: VerifiedPurchase, to user: UserID, proof: AccountProof?, in context: ClaimContext) {
        self.purchase = purchase
        self.user = user
        self.proof = proof
        self.context = context
    }

    package func decide(given history: PurchaseHistory) -> Decision<Claim, AttachRefusal> {
        var claims = Claims(of: user, proof: proof, given: history, in: context)
        let answer = claims.claim(purchase.key)
        return claims.decision(answering: answer)
    }

    /// Returns the instant for which an attach is answered. It is `now`, or the latest purchase or signing date of
    /// `purchases` that lies at most five minutes ahead (`semantics.md` §2).
    package static func answeredAt(_ now: Instant, recording purchases: [VerifiedPurchase]) -> Instant {
        purchases.flatMap { [$0.purchasedAt, $0.signedAt] }.filter { $0 <= now + forgivenDifference }.reduce(now, max)
    }

    /// The most that another party's clock may be ahead of ours, in milliseconds.
    static let forgivenDifference: Int64 = 5 * 60_000
}
