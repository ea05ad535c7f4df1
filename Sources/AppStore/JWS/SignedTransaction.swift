import Crypto

/// A transaction as a client sent it: a compact JWS of which nothing is checked yet.
///
/// The verifier makes a ``VerifiedTransaction`` of it.
package struct SignedTransaction: Hashable, Sendable {
    /// The largest text that is verified. A request with a larger one is `payload_too_large` (`api.md`, "Problems").
    package static let maximumBytes = 16 * 1024

    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    /// SHA-256 of the text. It finds a text that was verified before, and never identifies a purchase (`semantics.md`
    /// §5).
    package var digest: [UInt8] {
        var text = text
        return text.withUTF8 { Array(SHA256.hash(data: UnsafeRawBufferPointer($0))) }
    }

    /// Hashes only the end of the text, because signatures of different texts differ there.
    package func hash(into hasher: inout Hasher) {
        text.utf8.suffix(16).forEach { hasher.combine($0) }
    }
}
