/// A transaction as a client sent it: a compact JWS of which nothing is checked yet.
///
/// The verifier makes a ``VerifiedTransaction`` of it.
package struct SignedTransaction: Hashable, Sendable {
    /// The largest text that is verified. A request with a larger one is `payload_too_large` (`api.md`, "Problems").
    package static let maximumBytes = 16 * 1024

    package let text: String
    /// The segments of the text, or the reason why it is malformed.
    let segments: Result<CompactJWS, EvidenceError>

    package init(_ text: String) {
        self.text = text
        segments = Result { () throws(EvidenceError) in try CompactJWS(text, maximumBytes: Self.maximumBytes) }
    }

    /// SHA-256 of the text; nil if it is malformed. It finds a text that was verified before, and never identifies a
    /// purchase (`semantics.md` §5).
    package var digest: [UInt8]? {
        guard case .success(let jws) = segments else { return nil }
        return Array(jws.textDigest)
    }

    package static func == (left: SignedTransaction, right: SignedTransaction) -> Bool { left.text == right.text }

    /// Hashes only the end of the text, because signatures of different texts differ there.
    package func hash(into hasher: inout Hasher) {
        text.utf8.suffix(16).forEach { hasher.combine($0) }
    }
}
