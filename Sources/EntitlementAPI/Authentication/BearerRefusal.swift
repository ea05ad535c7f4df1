/// The reason why a request is refused for want of a user's sign-in.
package enum BearerRefusal: Error, Hashable, Sendable {
    /// No `Authorization: Bearer …` was sent. The challenge of the answer then names no error (RFC 6750 §3.1).
    case missing
    /// The token is not valid. The sentence is for developers and quotes nothing from the token.
    case invalid(String)
    /// A token that counts, of a user whose id has not the form of ``UserID``, or stands for an Apple account.
    /// The sentence is for developers.
    case userIDNotAllowed(String)
    /// The token may count, but the keys to judge it by cannot be fetched: a passing fault.
    case keysUnavailable
    /// The user is signed in but may not do this. The sentence is for developers.
    case notAllowed(String)
}
