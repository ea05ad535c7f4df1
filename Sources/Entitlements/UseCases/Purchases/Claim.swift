/// How a purchase stands to the user who attaches it.
package enum Claim: Hashable, Sendable {
    case alreadyTheirs
    case unowned
    /// Another user had it, and it goes to this one.
    case transferred
}

/// Why a genuine purchase does not become this user's, in order of precedence (`semantics.md` §5); the raw value is
/// the problem's code. None of them tells who the owner is, nor whether there still is one.
package enum AttachRefusal: String, Error, Hashable, Sendable, CaseIterable {
    case ownedByAnotherUser = "owned_by_another_user"
    case accountTokenMismatch = "account_token_mismatch"
    case notClaimable = "not_claimable"
}
