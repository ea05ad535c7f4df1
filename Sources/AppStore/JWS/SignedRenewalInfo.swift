/// Renewal info as it was sent: a compact JWS of which nothing is checked yet.
///
/// The verifier makes a ``VerifiedRenewalInfo`` of it.
package struct SignedRenewalInfo: Hashable, Sendable {
    /// The largest text that is verified.
    package static let maximumBytes = 16 * 1024

    package let text: String

    package init(_ text: String) {
        self.text = text
    }
}
