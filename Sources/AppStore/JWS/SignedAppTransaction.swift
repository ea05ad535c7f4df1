/// An app transaction as it was sent: compact JWS, nothing checked.
///
/// The verifier makes a ``VerifiedAppTransaction`` of it.
package struct SignedAppTransaction: Hashable, Sendable {
    /// Longest text that is looked at.
    package static let maximumBytes = 16 * 1024

    package let text: String

    package init(_ text: String) {
        self.text = text
    }
}
