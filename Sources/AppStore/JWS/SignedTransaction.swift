import Crypto

/// A transaction as it was sent: compact JWS, nothing checked.
///
/// The verifier makes a ``VerifiedTransaction`` of it.
package struct SignedTransaction: Hashable, Sendable {
    /// Longest text that is looked at; a request with a longer one is `payload_too_large` (`api.md`, "Problems").
    package static let maximumBytes = 16 * 1024

    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    /// SHA-256 of the text; tells a literal replay and is never an identity (`semantics.md` §5).
    package var digest: [UInt8] {
        var text = text
        return text.withUTF8 { Array(SHA256.hash(data: UnsafeRawBufferPointer($0))) }
    }

    /// Hashes the end of the signature: different texts differ there.
    package func hash(into hasher: inout Hasher) {
        text.utf8.suffix(16).forEach { hasher.combine($0) }
    }
}
