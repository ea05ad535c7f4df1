/// Who may claim a purchase that nobody owns and that carries no token of their own (`semantics.md` §5, rule 4).
package struct ClaimRules: Hashable, Sendable {
    /// The raw value is what the configuration writes.
    package enum Unclaimed: String, Hashable, Sendable, CaseIterable {
        case any
        case fresh24h = "fresh_24h"
        case proof
    }

    package let unclaimed: Unclaimed

    package init(unclaimed: Unclaimed = .any) {
        self.unclaimed = unclaimed
    }

    fileprivate static let freshness = Instant.millisecondsPerDay
}

/// Why a genuine purchase does not become this user's, in order of precedence (`semantics.md` §5); the raw value is
/// the problem's code. None of them tells who the owner is.
package enum AttachRefusal: String, Error, Hashable, Sendable, CaseIterable {
    case ownedByAnotherUser = "owned_by_another_user"
    case accountTokenMismatch = "account_token_mismatch"
    case notClaimable = "not_claimable"
}

/// How a purchase stands to the user who attaches it.
package enum Claim: Hashable, Sendable {
    case alreadyTheirs
    case unowned
}

extension PurchaseHistory {
    /// Whether `user` may have the purchase of `key`: theirs already, or unowned and free to be claimed
    /// (`semantics.md` §5). `proof` is the `appTransactionId` of a verified AppTransaction that came with the request.
    package func claim(
        on key: PurchaseKey, by user: UserID, proof: AppTransactionID?, under rules: ClaimRules
    ) -> Result<Claim, AttachRefusal> {
        guard let purchase = purchases[key] else { return .failure(.notClaimable) }
        if purchase.owner == user { return .success(.alreadyTheirs) }
        guard purchase.owner == nil else { return .failure(.ownedByAnotherUser) }
        let holder = purchase.newestToken.flatMap { tokenHolders[$0] }
        if let holder {
            return holder == user ? .success(.unowned) : .failure(.accountTokenMismatch)
        }
        return allows(purchase, proof: proof, under: rules) ? .success(.unowned) : .failure(.notClaimable)
    }

    private func allows(_ purchase: KnownPurchase, proof: AppTransactionID?, under rules: ClaimRules) -> Bool {
        switch rules.unclaimed {
        case .any: true
        case .fresh24h: purchase.states.contains { now - $0.originallyPurchasedAt <= ClaimRules.freshness }
        case .proof: proof != nil && purchase.states.contains { $0.appTransactionID == proof }
        }
    }
}

extension PurchaseHistory.KnownPurchase {
    /// The account token of the newest state that carries one; a token can be set later, so an old text without it does
    /// not escape the veto.
    fileprivate var newestToken: AccountToken? {
        states.filter { $0.accountToken != nil }.max { $0.signedAt < $1.signedAt }?.accountToken
    }
}
