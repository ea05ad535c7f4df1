import Crypto
import JWTKit

/// A key that checks tokens; it fixes the one algorithm that counts (RFC 8725 §3.1).
enum VerificationKey: Sendable {
    case hs256(SymmetricKey)
    case es256(P256.Signing.PublicKey)
    case eddsa(Curve25519.Signing.PublicKey)
    case rs256(any JWTAlgorithm)

    /// The algorithm's name in `alg`.
    var algorithm: String {
        switch self {
        case .hs256: "HS256"
        case .es256: "ES256"
        case .eddsa: "EdDSA"
        case .rs256: "RS256"
        }
    }

    /// True if this key signed `text`; shared secrets are compared in constant time.
    func isValid(_ signature: [UInt8], for text: [UInt8]) -> Bool {
        switch self {
        case .hs256(let secret):
            return HMAC<SHA256>.isValidAuthenticationCode(signature, authenticating: text, using: secret)
        case .es256(let key):
            // Lost: that it is not 64 bytes.
            guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: text)
        case .eddsa(let key):
            return key.isValidSignature(signature, for: text)
        case .rs256(let algorithm):
            // Lost: why the signature cannot be read.
            return (try? algorithm.verify(signature, signs: text)) ?? false
        }
    }

    /// A PEM public key: P-256, Ed25519 or RSA of at least 2048 bits.
    ///
    /// - Throws: ``UnusableKey``.
    static func pem(_ text: String) async throws(UnusableKey) -> VerificationKey {
        // Lost in each attempt: why it is no key of this kind; the last words are that it is of none.
        if let key = try? P256.Signing.PublicKey(pemRepresentation: text) { return .es256(key) }
        if let key = try? EdDSA.PublicKey(pem: text),
            let ours = try? Curve25519.Signing.PublicKey(rawRepresentation: key.rawRepresentation)
        {
            return .eddsa(ours)
        }
        guard let key = try? JWTKit.Insecure.RSA.PublicKey(pem: text) else { throw UnusableKey() }
        return try await rsa(key)
    }

    /// A key for RS256.
    ///
    /// - Throws: ``UnusableKey`` for one that the signer does not take.
    static func rsa(_ key: JWTKit.Insecure.RSA.PublicKey) async throws(UnusableKey) -> VerificationKey {
        let collection = JWTKeyCollection()
        await collection.add(rsa: key, digestAlgorithm: .sha256, kid: "key")
        // Lost: that the key just added is not there, which cannot be.
        guard let algorithm = try? await collection.getKey(for: "key") else { throw UnusableKey() }
        return .rs256(algorithm)
    }
}

/// Neither P-256, Ed25519 nor RSA of at least 2048 bits, or not well-formed.
package struct UnusableKey: Error, Hashable, Sendable {}
