/// Renewal info as it was sent: compact JWS, nothing checked.
///
/// It says nothing about itself; ``VerifiedRenewalInfo`` is what the verifier makes of it.
package struct SignedRenewalInfo: Hashable, Sendable {
    /// Longest text that is looked at.
    package static let maximumBytes = 16 * 1024

    package let text: String

    package init(_ text: String) {
        self.text = text
    }
}
