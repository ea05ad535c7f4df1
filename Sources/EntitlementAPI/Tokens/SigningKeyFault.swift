/// The reason why no token can be signed, for logs and operators. It holds no secret.
package enum SigningKeyFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The database cannot be reached, for the given reason; a retry may help.
    case database(String)
    /// The present signing key cannot be opened. Only an operator can help.
    case unusable(kid: String)
    /// No key may sign now, and none could be made.
    case none

    package var description: String {
        switch self {
        case .database(let reason): reason
        case .unusable(let kid):
            """
            signing key \(kid) cannot be opened: tokens.key_encryption_key is not the key that it was sealed with, or \
            its row was changed; set the former key, or run `gatepass tokens rotate`
            """
        case .none:
            """
            no signing key could be made: the clocks of the instances differ by days, or the keys are changed under \
            them
            """
        }
    }
}
