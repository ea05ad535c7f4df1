import HTTPTypes
import Hummingbird
import NIOCore

/// `GET /.well-known/jwks.json`: the public keys that verify entitlement tokens (RFC 7517 §5).
enum KeySetRoute {
    /// Clients may cache the answer for five minutes. This is safe because a new key is published a day before it
    /// signs.
    private static let cacheControl = "public, max-age=300"

    /// - Throws: `unavailable`, also if the present signing key cannot be opened, because clients would trust an
    ///   incomplete set.
    static func respond(to call: OpenCall) async throws(Problem) -> Response {
        let ring = try await call.signingKeys()
        var json = JSONWriter()
        json.beginObject()
        json.name("keys")
        json.array(ring.published) { $0.append($1) }
        json.endObject()
        return .validated(
            ByteBuffer(bytes: json.bytes), EntityTag(of: json.bytes), ifNoneMatch: call.request.headers[.ifNoneMatch],
            [.cacheControl: cacheControl])
    }
}

extension JSONWriter {
    fileprivate mutating func append(_ key: SigningKey) {
        beginObject()
        member("kty", "EC")
        member("crv", "P-256")
        member("x", key.publicKey.x)
        member("y", key.publicKey.y)
        member("kid", key.kid)
        member("use", "sig")
        member("alg", "ES256")
        endObject()
    }
}
