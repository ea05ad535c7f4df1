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
    package let proof: AppTransactionID?
    package let rules: ClaimRules

    package init(_ items: [Item], to user: UserID, proof: AppTransactionID?, under rules: ClaimRules) {
        self.items = items
        self.user = user
        self.proof = proof
        self.rules = rules
    }

    /// The verdicts by index. Among items of one purchase the newest `signedAt` gets the verdict, then the lowest index;
    /// the others are duplicates.
    package func decide(given history: PurchaseHistory) -> Decision<[Int: Verdict], Never> {
        var verdicts: [Int: Verdict] = [:]
        var bindings: [PurchaseKey: UserID] = [:]
        for (key, items) in Dictionary(grouping: items, by: \.purchase.key) {
            let speaking = items.min { ($1.purchase.signedAt, $0.index) < ($0.purchase.signedAt, $1.index) }
            for item in items where item.index != speaking?.index { verdicts[item.index] = .duplicateInRequest }
            guard let speaking else { continue }
            switch history.claim(on: key, by: user, proof: proof, under: rules) {
            case .success(let claim):
                verdicts[speaking.index] = .claimed(claim)
                if claim == .unowned { bindings[key] = user }
            case .failure(let refusal):
                verdicts[speaking.index] = .refused(refusal)
            }
        }
        return Decision(bindings: bindings, answer: .success(verdicts))
    }
}
