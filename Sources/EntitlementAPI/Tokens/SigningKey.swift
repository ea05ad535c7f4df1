import Crypto
import LedgerStore

/// A P-256 key that signs entitlement tokens and tokens of Apple accounts, with its private key unsealed.
///
/// Invariant: the public key belongs to the private key, and ``kid`` is its thumbprint. So only keys that this server
/// made are published, even if somebody edits the database.
package struct SigningKey: Sendable {
    /// The RFC 7638 thumbprint of the public key.
    package let kid: String
    let publicKey: JSONWebKey
    private let privateKey: P256.Signing.PrivateKey

    init(_ privateKey: P256.Signing.PrivateKey) {
        self.privateKey = privateKey
        publicKey = JSONWebKey(privateKey.publicKey)
        kid = publicKey.thumbprint
    }

    /// Opens a stored key; nil if the seal does not open, or the key differs from the public key or the id in its row.
    init?(_ stored: SigningKeyStore.Key, under seal: KeySeal) {
        guard let bytes = seal.open(stored.sealedKey, as: stored.kid)?.secret,
            // `try?` drops the error that the bytes are no private key of P-256; this server never seals bytes of that
            // kind.
            let privateKey = try? P256.Signing.PrivateKey(rawRepresentation: bytes)
        else { return nil }
        self.init(privateKey)
        guard kid == stored.kid, publicKey.text == stored.publicJWK else { return nil }
    }

    /// The private key, sealed for the database; nil only if the key-encryption key has no AES size.
    func sealed(under seal: KeySeal) -> [UInt8]? {
        seal.seal(privateKey.rawRepresentation, as: kid)
    }

    /// True if `signature` is this key's ES256 signature of `text`.
    func isValid(_ signature: [UInt8], for text: [UInt8]) -> Bool {
        VerificationKey.es256(privateKey.publicKey).isValid(signature, for: text)
    }

    /// A compact JWT (RFC 7519), signed with ES256. `claims` is JSON, and `type` becomes the header's `typ`.
    ///
    /// - Throws: An error of the cryptographic library, which never occurs for a key that it made.
    func token(typed type: String, _ claims: [UInt8]) throws -> String {
        var header = JSONWriter(capacity: 128)
        header.beginObject()
        header.member("alg", "ES256")
        header.member("kid", kid)
        header.member("typ", type)
        header.endObject()
        let text = Base64URL.encode(header.bytes) + "." + Base64URL.encode(claims)
        let signature = try privateKey.signature(for: Array(text.utf8))
        return text + "." + Base64URL.encode(signature.rawRepresentation)
    }
}

/// A public P-256 key as JSON (RFC 7517, RFC 7518 §6.2).
struct JSONWebKey: Hashable, Sendable {
    /// The JSON of the required members in the order of RFC 7638 §3.2, without white space.
    let text: String
    let x: String
    let y: String

    init(_ key: P256.Signing.PublicKey) {
        let point = Array(key.rawRepresentation)
        x = Base64URL.encode(point[..<Self.coordinateBytes])
        y = Base64URL.encode(point[Self.coordinateBytes...])
        var json = JSONWriter(capacity: 160)
        json.beginObject()
        json.member("crv", "P-256")
        json.member("kty", "EC")
        json.member("x", x)
        json.member("y", y)
        json.endObject()
        text = String(decoding: json.bytes, as: UTF8.self)
    }

    var thumbprint: String { Base64URL.encode(SHA256.hash(data: Array(text.utf8))) }

    private static let coordinateBytes = 32
}
