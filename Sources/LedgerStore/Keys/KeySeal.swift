package import Crypto

/// Encrypts keys that are stored in the database, under the key-encryption key: AES-256-GCM (NIST SP 800-38D).
///
/// A name is authenticated with each key, so that a key sealed for one row cannot be put into another. Each seal has
/// its own random nonce. A seal under a previous key-encryption key can still be opened, and should then be made again.
package struct KeySeal: Sendable {
    /// An opened secret.
    package struct Opened: Sendable {
        package let secret: [UInt8]
        /// True if the secret was sealed under a previous key-encryption key.
        package let isOutdated: Bool
    }

    /// The bytes of a sealed 32-byte key: the nonce, the encrypted key and the tag.
    package static let sealedKeyBytes = 12 + 32 + 16

    private let current: SymmetricKey
    private let previous: [SymmetricKey]

    /// - Parameters:
    ///   - current: The key-encryption key, of 32 bytes.
    ///   - previous: Earlier key-encryption keys, of 32 bytes each.
    package init(_ current: SymmetricKey, previous: [SymmetricKey] = []) {
        self.current = current
        self.previous = previous
    }

    /// The nonce, the encrypted secret and the tag; nil only if the key-encryption key has a length that AES does not
    /// allow.
    package func seal(_ secret: some Collection<UInt8>, as name: String) -> [UInt8]? {
        // The error is dropped: the key-encryption key has a size that AES does not allow.
        let box = try? AES.GCM.seal(Array(secret), using: current, authenticating: Array(name.utf8))
        return box?.combined.map { Array($0) }
    }

    /// The opened secret; nil unless it was sealed with this name, under the present or an earlier key-encryption key,
    /// and is unchanged.
    package func open(_ sealed: [UInt8], as name: String) -> Opened? {
        if let secret = Self.open(sealed, as: name, under: current) { return Opened(secret: secret, isOutdated: false) }
        for key in previous {
            if let secret = Self.open(sealed, as: name, under: key) { return Opened(secret: secret, isOutdated: true) }
        }
        return nil
    }

    private static func open(_ sealed: [UInt8], as name: String, under key: SymmetricKey) -> [UInt8]? {
        // The errors are dropped, so that somebody who changed the seal does not learn which step failed.
        guard let box = try? AES.GCM.SealedBox(combined: sealed),
            let secret = try? AES.GCM.open(box, using: key, authenticating: Array(name.utf8))
        else { return nil }
        return Array(secret)
    }
}
