/// The result of a claim that was accepted.
package enum Claim: Hashable, Sendable {
    case alreadyTheirs
    case unowned
    /// The purchase goes from another user to this one.
    case transferred
}

/// The reason why a genuine purchase does not become this user's, in order of precedence (`semantics.md` §5). The raw
/// value is the code of the problem. No reason tells who the owner is, or whether there still is one.
package enum AttachRefusal: String, Error, Hashable, Sendable, CaseIterable {
    case ownedByAnotherUser = "owned_by_another_user"
    case accountTokenMismatch = "account_token_mismatch"
    case notClaimable = "not_claimable"
}
