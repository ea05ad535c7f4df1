/// An app transaction as a client sent it: a compact JWS of which nothing is checked yet.
///
/// The verifier makes a ``VerifiedAppTransaction`` of it.
package struct SignedAppTransaction: Hashable, Sendable {
    /// The largest text that is verified.
    package static let maximumBytes = 16 * 1024

    package let text: String

    package init(_ text: String) {
        self.text = text
    }
}
