import Entitlements

/// Texts that were verified before, by their SHA-256 digests: of these the signature is not checked again (`semantics.md` §5,
/// *literal replay*). Everything else is judged as always.
package struct KnownTexts: Sendable {
    /// No text was verified before.
    package static let none = KnownTexts([]) { _ in false }

    private let digests: Set<[UInt8]>
    private let isAsVerified: @Sendable (VerifiedTransaction) -> Bool

    /// - Parameters:
    ///   - digests: Of texts that a verifier accepted.
    ///   - isAsVerified: Whether a transaction is what its text showed when it was accepted; if not, its signature is checked.
    package init(
        _ digests: some Sequence<[UInt8]>, isAsVerified: @escaping @Sendable (VerifiedTransaction) -> Bool
    ) {
        self.digests = Set(digests)
        self.isAsVerified = isAsVerified
    }

    func contains(_ jws: CompactJWS) -> Bool { !digests.isEmpty && digests.contains(Array(jws.textDigest)) }

    /// Whether the text of a transaction is among these and was verified as another one.
    func contradict(_ transaction: VerifiedTransaction) -> Bool {
        digests.contains(transaction.text.digest) && !isAsVerified(transaction)
    }
}
