/// Attaches many verified purchases in one request. Each item gets a verdict of its own, whatever becomes of the others
/// (`semantics.md` §6).
package struct Restore: Sendable {
    /// The verdict on an item.
    package enum Verdict: Hashable, Sendable {
        case claimed(Claim)
        /// Another item about the same purchase gets the verdict.
        case duplicateInRequest
        case refused(AttachRefusal)
    }

    /// The items, in the order of the request.
    package let items: [VerifiedPurchase]
    package let user: UserID
    package let proof: AccountProof?
    package let context: ClaimContext
    /// The purchases of the receipt that the items are from; none if they are of another text.
    package let receipt: [VerifiedPurchase]

    package init(
        _ items: [VerifiedPurchase], to user: UserID, proof: AccountProof?, in context: ClaimContext,
        ofReceipt receipt: [VerifiedPurchase] = []
    ) {
        self.items = items
        self.user = user
        self.proof = proof
        self.context = context
        self.receipt = receipt
    }

    /// Returns a verdict for each item. Of the items of one purchase, the one with the newest `signedAt` gets the
    /// verdict, of equal ones the first; the others are duplicates. Purchases are claimed in the order of their keys,
    /// so the order of items does not decide which of them a yearly limit keeps out.
    package func decide(given history: PurchaseHistory) -> Decision<[Verdict], Never> {
        var verdicts = [Verdict](repeating: .duplicateInRequest, count: items.count)
        var claims = Claims(of: user, proof: proof, given: history, in: context, showing: receipt)
        for (key, places) in Dictionary(grouping: items.indices, by: { items[$0].key }).sorted(by: { $0.key < $1.key })
        {
            let speaking = places.min { (items[$1].signedAt, $0) < (items[$0].signedAt, $1) }
            guard let speaking else { continue }
            verdicts[speaking] =
                switch claims.claim(key) {
                case .success(let claim): .claimed(claim)
                case .failure(let refusal): .refused(refusal)
                }
        }
        return claims.decision(answering: .success(verdicts))
    }
}
