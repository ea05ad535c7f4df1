/// The reason why the sign-in of a request does not suffice.
package enum BearerRefusal: Error, Hashable, Sendable {
    /// No `Authorization: Bearer …` was sent. The challenge of the answer then names no error (RFC 6750 §3.1).
    case missing
    /// The token is not valid. The sentence is for developers and quotes nothing from the token.
    case invalid(String)
    /// The token is valid, but the Apple account that got it stands for another user now.
    case signedInElsewhere
    /// The token is valid, but its user id is missing, malformed or begins like the id of an Apple account. The
    /// sentence is for developers.
    case userIDNotAllowed(String)
    /// The keys that verify the token cannot be fetched now, so nobody knows if the token is valid. A retry may
    /// succeed.
    case keysUnavailable
    /// The user is signed in but may not do this. The sentence is for developers.
    case notAllowed(String)
}
