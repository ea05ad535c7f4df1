/// Attaches many verified purchases at once: each gets its own verdict, and one never spoils the rest
/// (`semantics.md` §6).
package struct Restore: Sendable {
    /// The verdict on an item.
    package enum Verdict: Hashable, Sendable {
        case claimed(Claim)
        /// Another item about the same purchase has the verdict.
        case duplicateInRequest
        case refused(AttachRefusal)
    }

    /// In the order of the request.
    package let items: [VerifiedPurchase]
    package let user: UserID
    package let proof: AccountProof?
    package let context: ClaimContext

    package init(_ items: [VerifiedPurchase], to user: UserID, proof: AccountProof?, in context: ClaimContext) {
        self.items = items
        self.user = user
        self.proof = proof
        self.context = context
    }

    /// The verdicts, one for each item. Among items of one purchase the newest `signedAt` gets the verdict, then the
    /// first; the others are duplicates. Purchases are claimed in the order of their keys, so that the order of items
    /// does not say which of them a limit keeps out.
    package func decide(given history: PurchaseHistory) -> Decision<[Verdict], Never> {
        var verdicts = [Verdict](repeating: .duplicateInRequest, count: items.count)
        var claims = Claims(of: user, proof: proof, given: history, in: context)
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
