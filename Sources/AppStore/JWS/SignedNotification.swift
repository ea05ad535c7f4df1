/// The `signedPayload` of a notification V2 as it was sent: a compact JWS of which nothing is checked yet.
///
/// The verifier makes a ``VerifiedNotification`` of it.
package struct SignedNotification: Hashable, Sendable {
    /// The largest text that is verified.
    package static let maximumBytes = 256 * 1024

    package let text: String

    package init(_ text: String) {
        self.text = text
    }
}
