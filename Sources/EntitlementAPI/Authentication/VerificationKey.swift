import Crypto
import JWTKit

/// A key that verifies tokens, for exactly one algorithm (RFC 8725 §3.1).
enum VerificationKey: Sendable {
    case hs256(SymmetricKey)
    case es256(P256.Signing.PublicKey)
    case eddsa(Curve25519.Signing.PublicKey)
    case rs256(any JWTAlgorithm)

    /// The algorithm's name in the member `alg` of a token's header.
    var algorithm: String {
        switch self {
        case .hs256: "HS256"
        case .es256: "ES256"
        case .eddsa: "EdDSA"
        case .rs256: "RS256"
        }
    }

    /// True if `signature` is this key's signature of `text`. HMACs are compared in constant time.
    func isValid(_ signature: [UInt8], for text: [UInt8]) -> Bool {
        switch self {
        case .hs256(let secret):
            return HMAC<SHA256>.isValidAuthenticationCode(signature, authenticating: text, using: secret)
        case .es256(let key):
            // `try?` drops the error that the signature is not 64 bytes long.
            guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: text)
        case .eddsa(let key):
            return key.isValidSignature(signature, for: text)
        case .rs256(let algorithm):
            // `try?` drops the reason why the signature cannot be read.
            return (try? algorithm.verify(signature, signs: text)) ?? false
        }
    }

    /// Reads a PEM public key: P-256, Ed25519 or RSA of at least 2048 bits.
    ///
    /// - Throws: ``UnusableKey``.
    static func pem(_ text: String) async throws(UnusableKey) -> VerificationKey {
        // Each `try?` drops the reason why the key is not of this type; the final error says that it is of none.
        if let key = try? P256.Signing.PublicKey(pemRepresentation: text) { return .es256(key) }
        if let key = try? EdDSA.PublicKey(pem: text),
            let ours = try? Curve25519.Signing.PublicKey(rawRepresentation: key.rawRepresentation)
        {
            return .eddsa(ours)
        }
        guard let key = try? JWTKit.Insecure.RSA.PublicKey(pem: text) else { throw UnusableKey() }
        return try await rsa(key)
    }

    /// The key for RS256 with an RSA public key.
    ///
    /// - Throws: ``UnusableKey`` if the library does not accept the key.
    static func rsa(_ key: JWTKit.Insecure.RSA.PublicKey) async throws(UnusableKey) -> VerificationKey {
        let collection = JWTKeyCollection()
        await collection.add(rsa: key, digestAlgorithm: .sha256, kid: "key")
        // `try?` drops the error that the key just added is missing, which cannot happen.
        guard let algorithm = try? await collection.getKey(for: "key") else { throw UnusableKey() }
        return .rs256(algorithm)
    }
}

/// An error: the key is neither P-256, Ed25519 nor RSA of at least 2048 bits, or not well-formed.
package struct UnusableKey: Error, Hashable, Sendable {}
