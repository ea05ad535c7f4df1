/// The `signedPayload` of a notification V2 as it was sent: compact JWS, nothing checked.
///
/// The verifier makes a ``VerifiedNotification`` of it.
package struct SignedNotification: Hashable, Sendable {
    /// Longest text that is looked at.
    package static let maximumBytes = 256 * 1024

    package let text: String

    package init(_ text: String) {
        self.text = text
    }
}
