/// Attaches many verified purchases at once: each gets its own verdict, and one never spoils the rest
/// (`semantics.md` §6).
package struct Restore: Sendable {
    /// A verified item of the request, at its place there.
    package struct Item: Sendable {
        package let index: Int
        package let purchase: VerifiedPurchase

        package init(index: Int, purchase: VerifiedPurchase) {
            self.index = index
            self.purchase = purchase
        }
    }

    /// What became of an item.
    package enum Verdict: Hashable, Sendable {
        case claimed(Claim)
        case duplicateInRequest
        case refused(AttachRefusal)
    }

    package let items: [Item]
    package let user: UserID
    package let proof: AccountProof?
    package let context: ClaimContext

    package init(_ items: [Item], to user: UserID, proof: AccountProof?, in context: ClaimContext) {
        self.items = items
        self.user = user
        self.proof = proof
        self.context = context
    }

    /// The verdicts by index. Among items of one purchase the newest `signedAt` gets the verdict, then the lowest index;
    /// the others are duplicates. Purchases are claimed in the order of their keys, so that the order of items does not
    /// say which of them a limit keeps out.
    package func decide(given history: PurchaseHistory) -> Decision<[Int: Verdict], Never> {
        var verdicts: [Int: Verdict] = [:]
        var claims = Claims(of: user, proof: proof, given: history, in: context)
        for (key, items) in Dictionary(grouping: items, by: \.purchase.key).sorted(by: { $0.key < $1.key }) {
            let speaking = items.min { ($1.purchase.signedAt, $0.index) < ($0.purchase.signedAt, $1.index) }
            for item in items where item.index != speaking?.index { verdicts[item.index] = .duplicateInRequest }
            guard let speaking else { continue }
            switch claims.claim(key, shownBy: items.map(\.purchase)) {
            case .success(let claim): verdicts[speaking.index] = .claimed(claim)
            case .failure(let refusal): verdicts[speaking.index] = .refused(refusal)
            }
        }
        return claims.decision(answering: .success(verdicts))
    }
}
