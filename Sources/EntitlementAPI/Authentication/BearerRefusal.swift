/// Why a request is not that of a signed-in user.
package enum BearerRefusal: Error, Hashable, Sendable {
    /// No `Authorization: Bearer …` at all (RFC 6750 §3.1: the challenge names no error).
    case missing
    /// A token that does not count. The sentence is for developers and says nothing of the token's content.
    case invalid(String)
    /// A token that counts, of a user whose id has not the form of ``UserID``, or stands for an Apple account.
    /// The sentence is for developers.
    case userIDNotAllowed(String)
    /// The token may count, but the keys to judge it by cannot be fetched: a passing fault.
    case keysUnavailable
    /// A user who is signed in, but may not do this. The sentence is for developers.
    case notAllowed(String)
}
