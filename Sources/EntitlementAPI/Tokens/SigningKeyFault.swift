/// Why no token can be signed, for logs and operators; it names no secret.
package enum SigningKeyFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The database is away, and how: a passing fault.
    case database(String)
    /// The key that signs now cannot be opened; only an operator can help.
    case unusable(kid: String)
    /// No key could be made.
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
