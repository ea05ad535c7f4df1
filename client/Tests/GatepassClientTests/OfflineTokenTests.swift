import Foundation
import Testing

@testable import GatepassClient

#if canImport(CryptoKit)
    import CryptoKit
#else
    import Crypto
#endif

/// Each refused token differs from the genuine one in one point.
@Suite("An offline token")
struct OfflineTokenTests {
    private let key = P256.Signing.PrivateKey()
    private let now = Date(timeIntervalSince1970: 1_000_000)

    private func token(
        alg: String = "ES256", typ: String = "entitlement+jwt", kid: String = "k", iss: String = "gatepass",
        sub: String = "ana", aud: String = "com.example.app", iat: Int = 1_000_000, exp: Int = 1_000_100,
        by signer: P256.Signing.PrivateKey? = nil
    ) throws -> String {
        let head = "{\"alg\": \"\(alg)\", \"typ\": \"\(typ)\", \"kid\": \"\(kid)\"}"
        let body = """
            {"iss": "\(iss)", "sub": "\(sub)", "aud": ["\(aud)"], "iat": \(iat), "exp": \(exp), "active": true,
             "tier": "pro", "expires_at": "2030-01-01T00:00:00Z", "access_expires_at": null, "state": "active",
             "features": ["maps"], "limits": {"saved_trips": 9007199254740991, "photos": 9007199254740990},
             "add_ons": []}
            """
        let signed = "\(encoded(Data(head.utf8))).\(encoded(Data(body.utf8)))"
        let signature = try (signer ?? key).signature(for: Data(signed.utf8))
        return "\(signed).\(encoded(signature.rawRepresentation))"
    }

    private func encoded(_ data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    private func refusal(
        _ token: String, user: String = "ana", app: String = "com.example.app", at seconds: TimeInterval = 0
    ) -> OfflineToken.Refusal? {
        let point = key.publicKey.rawRepresentation
        let keys = OfflineToken.KeySet(keys: [
            .init(kid: "k", kty: "EC", crv: "P-256", x: encoded(point.prefix(32)), y: encoded(point.suffix(32)))
        ])
        do throws(OfflineToken.Refusal) {
            _ = try OfflineToken.verified(token, keys: keys, user: user, bundleID: app, now: now + seconds)
            return nil
        } catch {
            return error
        }
    }

    @Test func `one that is genuine is taken, until its end`() throws {
        #expect(try refusal(token()) == nil)
        #expect(try refusal(token(), at: 99) == nil)
        #expect(try refusal(token(), at: 100) == .notNow)
        #expect(try refusal(token(), at: -300) == nil)
        #expect(try refusal(token(), at: -301) == .notNow)
    }

    @Test func `one of another form, key, issuer, user or app is refused`() throws {
        #expect(try refusal(token(alg: "none")) == .malformed)
        #expect(try refusal(token(alg: "HS256")) == .malformed)
        #expect(try refusal(token(typ: "JWT")) == .malformed)
        #expect(try refusal(token(kid: "other")) == .unknownKey)
        #expect(try refusal(token(by: P256.Signing.PrivateKey())) == .notGenuine)
        #expect(try refusal(token(iss: "other")) == .notGenuine)
        #expect(try refusal(token(sub: "ben")) == .notMine)
        #expect(try refusal(token(aud: "com.example.other")) == .notMine)
        #expect(try refusal(token(), user: "ben") == .notMine)
        #expect(try refusal(token(), app: "com.example.other") == .notMine)
        #expect(refusal("") == .malformed && refusal("a.b") == .malformed && refusal("..") == .malformed)
    }

    @Test func `one that was changed after it was signed is refused`() throws {
        let parts = try token().split(separator: ".")
        let other = try token(exp: 2_000_000).split(separator: ".")
        #expect(refusal("\(parts[0]).\(other[1]).\(parts[2])") == .notGenuine)
        #expect(refusal("\(parts[0]).\(parts[1])") == .malformed)
    }

    @Test func `the subject of a bearer is read without being believed`() throws {
        #expect(try unverifiedClaim("sub", of: token(sub: "ben")) == "ben")
        #expect(unverifiedClaim("sub", of: "opaque") == nil && unverifiedClaim("sub", of: "a.b.c") == nil)
    }
}
