import Crypto
import JWTKit
import StrictJSON

/// The keys of one JWKS document (RFC 7517) that can verify tokens.
///
/// Keys of other types or uses are left out. Symmetric keys are left out too, because a public document cannot hold a
/// secret.
struct KeySet: Sendable {
    private let keys: [(kid: String?, key: VerificationKey)]

    /// - Throws: ``UnusableKey`` if the document is not a key set, or has no usable key.
    init(_ document: [UInt8]) async throws(UnusableKey) {
        // `try?` drops the place of the error in the JSON, which nobody needs.
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

    var count: Int { keys.count }

    /// The key with the id `kid`. A token without `kid` gets the only key, if there is one key only.
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
            // `try?` drops the error that the point is not on the curve: the key is left out.
            key = (try? P256.Signing.PublicKey(rawRepresentation: x + y)).map(VerificationKey.es256)
        case ("OKP", "Ed25519"):
            guard let x = bytes(entry["x"]), x.count == 32 else { return nil }
            // `try?` drops the reason why the bytes are no key: the key is left out.
            key = (try? Curve25519.Signing.PublicKey(rawRepresentation: x)).map(VerificationKey.eddsa)
        case ("RSA", _):
            guard let n = entry["n"]?.string, let e = entry["e"]?.string,
                // Both `try?` drop the error that the key is too short or not well-formed: the key is left out.
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
