package import Crypto

/// Seals keys that are kept in the database under the key-encryption key: AES-256-GCM (NIST SP 800-38D).
///
/// A name is bound into the seal, so what was sealed for one row cannot be put into another. Each seal has a random nonce
/// of its own.
package struct KeySeal: Sendable {
    /// Nonce, 32 bytes and tag of a sealed P-256 key.
    static let sealedKeyBytes = 12 + 32 + 16

    private let key: SymmetricKey

    /// `key` has 32 bytes.
    package init(_ key: SymmetricKey) {
        self.key = key
    }

    /// Nonce, text and tag; nil only for a key of no AES size.
    func seal(_ secret: some Collection<UInt8>, as name: String) -> [UInt8]? {
        // Lost: that the key has a size that AES does not know.
        let box = try? AES.GCM.seal(Array(secret), using: key, authenticating: Array(name.utf8))
        return box?.combined.map { Array($0) }
    }

    /// Nil unless it was sealed under this key and this name, and not a bit was changed.
    func open(_ sealed: [UInt8], as name: String) -> [UInt8]? {
        // Lost in both: how far it got; whoever changed it learns nothing.
        guard let box = try? AES.GCM.SealedBox(combined: sealed),
            let secret = try? AES.GCM.open(box, using: key, authenticating: Array(name.utf8))
        else { return nil }
        return Array(secret)
    }
}
