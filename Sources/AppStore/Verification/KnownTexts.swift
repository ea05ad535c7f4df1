/// Texts that were verified before, by their SHA-256 digests. Their signatures are not checked again, but everything
/// else is (`semantics.md` §5, *Literal replay*).
package struct KnownTexts: Sendable {
    /// No text was verified before.
    package static let none = KnownTexts([])

    private let digests: Set<[UInt8]>

    /// - Parameter digests: The SHA-256 digests of texts that a verifier accepted.
    package init(_ digests: some Sequence<[UInt8]>) { self.digests = Set(digests) }

    func contains(_ jws: CompactJWS) -> Bool { !digests.isEmpty && digests.contains(Array(jws.textDigest)) }
}
