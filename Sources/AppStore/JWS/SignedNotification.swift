/// The `signedPayload` of a notification V2 as it was sent: compact JWS, nothing checked.
///
/// It says nothing about itself; ``VerifiedNotification`` is what the verifier makes of it.
package struct SignedNotification: Hashable, Sendable {
    /// Longest text that is looked at.
    package static let maximumBytes = 256 * 1024

    package let text: String

    package init(_ text: String) {
        self.text = text
    }
}
