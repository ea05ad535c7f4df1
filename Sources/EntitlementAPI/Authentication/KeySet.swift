import Crypto
import JWTKit
import StrictJSON

/// The keys of one JWKS document (RFC 7517) that can check tokens.
///
/// A key of another kind or use is left out, and so is every symmetric one: a document that the world may read cannot
/// hold a secret.
struct KeySet: Sendable {
    private let keys: [(kid: String?, key: VerificationKey)]

    /// - Throws: ``UnusableKey`` when the document is not a key set, or has no key that can be used.
    init(_ document: [UInt8]) async throws(UnusableKey) {
        // Lost: where the text is not JSON.
        guard let json = try? StrictJSON(document), let entries = JSONValue(json)["keys"]?.elements else {
            throw UnusableKey()
        }
        var keys: [(kid: String?, key: VerificationKey)] = []
        for entry in entries.prefix(Self.maximumKeys) {
            guard let key = await Self.key(entry) else { continue }
            keys.append((entry["kid"]?.string, key))
        }
        guard !keys.isEmpty else { throw UnusableKey() }
        self.keys = keys
    }

    /// The key that a token names; without a name, the only one.
    func key(named kid: String?) -> VerificationKey? {
        guard let kid else { return keys.count == 1 ? keys[0].key : nil }
        return keys.first { $0.kid?.utf8.elementsEqual(kid.utf8) ?? false }?.key
    }

    private static let maximumKeys = 100

    private static func key(_ entry: JSONValue) async -> VerificationKey? {
        if let use = entry["use"]?.string, use != "sig" { return nil }
        let key: VerificationKey?
        switch (entry["kty"]?.string, entry["crv"]?.string) {
        case ("EC", "P-256"):
            guard let x = bytes(entry["x"]), let y = bytes(entry["y"]), x.count == 32, y.count == 32 else { return nil }
            // Lost: that the point is not on the curve.
            key = (try? P256.Signing.PublicKey(rawRepresentation: x + y)).map(VerificationKey.es256)
        case ("OKP", "Ed25519"):
            guard let x = bytes(entry["x"]), x.count == 32 else { return nil }
            // Lost: why 32 bytes are no key.
            key = (try? Curve25519.Signing.PublicKey(rawRepresentation: x)).map(VerificationKey.eddsa)
        case ("RSA", _):
            guard let n = entry["n"]?.string, let e = entry["e"]?.string,
                // Lost in both: that the key is too short or not well-formed.
                let rsa = try? JWTKit.Insecure.RSA.PublicKey(modulus: n, exponent: e)
            else { return nil }
            key = try? await .rsa(rsa)
        default: return nil
        }
        if let algorithm = entry["alg"]?.string, algorithm != key?.algorithm { return nil }
        return key
    }

    private static func bytes(_ value: JSONValue?) -> [UInt8]? {
        value?.string.flatMap { Base64URL.decode(Array($0.utf8)) }
    }
}
