package import Crypto

/// Seals keys that are stored in the database under the key-encryption key: AES-256-GCM (NIST SP 800-38D).
///
/// A name is bound into the seal, so a key that was sealed for one row cannot be put into another. Each seal has a
/// random nonce of its own. A seal under a previous key-encryption key is opened too, and is to be made anew.
package struct KeySeal: Sendable {
    /// A secret as it was opened.
    package struct Opened: Sendable {
        package let secret: [UInt8]
        /// True if the key was sealed under a previous key-encryption key.
        package let isOutdated: Bool
    }

    /// Nonce, 32 bytes and tag of a sealed key.
    package static let sealedKeyBytes = 12 + 32 + 16

    private let current: SymmetricKey
    private let previous: [SymmetricKey]

    /// Each key has 32 bytes.
    package init(_ current: SymmetricKey, previous: [SymmetricKey] = []) {
        self.current = current
        self.previous = previous
    }

    /// Nonce, text and tag; nil only for a key of no AES size.
    package func seal(_ secret: some Collection<UInt8>, as name: String) -> [UInt8]? {
        // Lost: that the key has a size that AES does not know.
        let box = try? AES.GCM.seal(Array(secret), using: current, authenticating: Array(name.utf8))
        return box?.combined.map { Array($0) }
    }

    /// Nil unless it was sealed under one of the keys and this name, and not a bit was changed.
    package func open(_ sealed: [UInt8], as name: String) -> Opened? {
        if let secret = Self.open(sealed, as: name, under: current) { return Opened(secret: secret, isOutdated: false) }
        for key in previous {
            if let secret = Self.open(sealed, as: name, under: key) { return Opened(secret: secret, isOutdated: true) }
        }
        return nil
    }

    private static func open(_ sealed: [UInt8], as name: String, under key: SymmetricKey) -> [UInt8]? {
        // Lost in both: the step that failed, so that an attacker who changed the seal learns nothing.
        guard let box = try? AES.GCM.SealedBox(combined: sealed),
            let secret = try? AES.GCM.open(box, using: key, authenticating: Array(name.utf8))
        else { return nil }
        return Array(secret)
    }
}
