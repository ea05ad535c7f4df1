/// Renewal info as it was sent: compact JWS, nothing checked.
///
/// The verifier makes a ``VerifiedRenewalInfo`` of it.
package struct SignedRenewalInfo: Hashable, Sendable {
    /// Longest text that is looked at.
    package static let maximumBytes = 16 * 1024

    package let text: String

    package init(_ text: String) {
        self.text = text
    }
}
