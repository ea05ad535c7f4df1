import Crypto
import CryptoExtras
import Entitlements
import JWTKit
import Testing

@testable import EntitlementAPI

struct BearerVerifierTests {
    private let exp = Fixture.now.milliseconds / 1000 + 3600

    private func verify(
        _ field: String?, policy: BearerPolicy = BearerPolicy(), at now: Instant = Fixture.now
    ) async throws -> UserID {
        let verifier = try await BearerVerifier(.secrets([Array("new".utf8), Fixture.secret]), policy: policy)
        return try await verifier.user(authorization: field, at: now)
    }

    @Test func `claims that name a user are admitted`() async throws {
        for (claims, user) in [
            (#"{"sub":"u1","exp":\#(exp)}"#, "u1"), (#"{"sub":42,"exp":\#(exp).5}"#, "42"),
            (#"{"sub":18446744073709551616,"exp":\#(exp)}"#, "18446744073709551616"),
            (#"{"sub":"a.b:c@d-e","exp":1e12,"aud":[],"nbf":null}"#, "a.b:c@d-e"),
            (#"{"sub":"auth0|66f1+a=","exp":\#(exp)}"#, "auth0|66f1+a="),
        ] {
            #expect(try await verify("Bearer " + Fixture.token(claims)).text == user)
            #expect(try await verify("bearer   " + Fixture.token(claims)).text == user)
        }
    }

    @Test func `other claims are refused`() async throws {
        let good = Fixture.token(#"{"sub":"u1","exp":\#(exp)}"#)
        let parts = good.split(separator: ".")
        let none = Fixture.token(#"{"sub":"u1","exp":\#(exp)}"#, header: #"{"alg":"none"}"#)
        let bad: [String] = [
            "", ".", "..", "a.b.c", good + ".", good + "=", String(good.dropLast()), good + "A", " " + good + "x",
            "\(parts[0]).\(parts[1]).", none, none.split(separator: ".").prefix(2).joined(separator: ".") + ".",
            Fixture.token(#"{"sub":"u1","exp":\#(exp)}"#, header: #"{"alg":"RS256"}"#),
            Fixture.token(#"{"sub":"u1","exp":\#(exp)}"#, header: #"{"alg":"hs256"}"#),
            Fixture.token(#"{"sub":"u1","exp":\#(exp)}"#, header: #"{"alg":["HS256"]}"#),
            Fixture.token(#"{"sub":"u1","exp":\#(exp)}"#, header: #"{"alg":"HS256","crit":["exp"]}"#),
            Fixture.token(#"{"sub":"u1","exp":\#(exp)}"#, header: #"{"alg":"HS256","alg":"HS256"}"#),
            Fixture.token(#"{"sub":"u1","exp":\#(exp)}"#, secret: Array("other".utf8)),
            Fixture.token(#"{"sub":"u1"}"#), Fixture.token(#"{"sub":"u1","exp":"\#(exp)"}"#),
            Fixture.token(#"{"sub":"u1","exp":null}"#), Fixture.token(#"{"sub":"","exp":\#(exp)}"#),
            Fixture.token(#"{"sub":-1,"exp":\#(exp)}"#), Fixture.token(#"{"sub":1.0,"exp":\#(exp)}"#),
            Fixture.token(#"{"sub":true,"exp":\#(exp)}"#), Fixture.token(#"{"sub":["u1"],"exp":\#(exp)}"#),
            Fixture.token(#"{"sub":"é","exp":\#(exp)}"#), Fixture.token(#"{"exp":\#(exp)}"#),
            Fixture.token(#"{"sub":"u1","sub":"u2","exp":\#(exp)}"#), Fixture.token(#"["u1"]"#),
            Fixture.token(#"{"sub":"u1","exp":\#(exp),"nbf":"now"}"#),
            Fixture.token(#"{"sub":"u1","exp":1e999}"#),
            Fixture.token(#"{"sub":"u1","exp":\#(exp),"pad":"\#(String(repeating: "x", count: 9000))"}"#),
        ]
        for token in bad {
            await #expect(throws: BearerRefusal.self, "\(token.prefix(80))") { try await verify("Bearer " + token) }
        }
        for field in [nil, "", "Bearer", "Bearer ", "Basic dTE6cA==", "Bearer: x", good] {
            await #expect(throws: BearerRefusal.missing) { try await verify(field) }
        }
    }

    @Test func `dates have a minute of leeway, also for remembered tokens`() async throws {
        let now = Fixture.now.milliseconds / 1000
        let verifier = try await BearerVerifier(.secrets([Fixture.secret]), policy: BearerPolicy())
        let field = "Bearer " + Fixture.token(#"{"sub":"u1","iat":\#(now),"nbf":\#(now + 100),"exp":\#(now + 200)}"#)
        for (offset, isAdmitted) in [
            (39_999, false), (40_000, true), (100_000, true), (259_999, true), (260_000, false), (39_999, false),
        ] as [(Int64, Bool)] {
            let user = try? await verifier.user(authorization: field, at: Fixture.now + offset)
            #expect((user != nil) == isAdmitted, "\(offset)")
        }
    }

    @Test func `issuer and audience are checked when configured`() async throws {
        let policy = BearerPolicy(issuer: "https://login", audience: "app", userIDClaim: "uid")
        func claims(_ rest: String) -> String { "Bearer " + Fixture.token(#"{"uid":7,"exp":\#(exp)\#(rest)}"#) }
        for rest in [#","iss":"https://login","aud":"app""#, #","iss":"https://login","aud":["x","app"]"#] {
            #expect(try await verify(claims(rest), policy: policy).text == "7")
        }
        for rest in [
            "", #","iss":"https://login""#, #","iss":"https://login","aud":[]"#, #","iss":"https://login","aud":["x"]"#,
            #","iss":"https://login","aud":7"#, #","iss":"https://other","aud":"app""#,
            #","iss":["https://login"],"aud":"app""#,
        ] {
            await #expect(throws: BearerRefusal.self) { try await verify(claims(rest), policy: policy) }
        }
    }

    @Test func `empty secrets and other texts are no keys`() async throws {
        for keys in [BearerVerifier.Keys.secrets([]), .secrets([[]]), .publicKey("nonsense")] {
            await #expect(throws: UnusableKey.self) { try await BearerVerifier(keys, policy: BearerPolicy()) }
        }
    }

    @Test func `public keys of three kinds fix the algorithm`() async throws {
        let p256 = P256.Signing.PrivateKey()
        let ed25519 = Curve25519.Signing.PrivateKey()
        let edPEM = EdDSA.PublicKey(backing: ed25519.publicKey).pemRepresentation
        let claims = #"{"sub":"u1","exp":\#(exp)}"#
        let es256 = try Self.sign(claims, alg: "ES256") { try p256.signature(for: $0).rawRepresentation }
        let eddsa = try Self.sign(claims, alg: "EdDSA") { try ed25519.signature(for: $0) }
        let forged = Fixture.token(claims, secret: Array(p256.publicKey.pemRepresentation.utf8))
        for (pem, good, other) in [(p256.publicKey.pemRepresentation, es256, eddsa), (edPEM, eddsa, es256)] {
            let verifier = try await BearerVerifier(.publicKey(pem), policy: BearerPolicy())
            #expect(try await verifier.user(authorization: "Bearer " + good, at: Fixture.now).text == "u1")
            for token in [other, forged] {
                await #expect(throws: BearerRefusal.self) {
                    try await verifier.user(authorization: "Bearer " + token, at: Fixture.now)
                }
            }
        }
    }

    @Test func `an RSA key checks what another library signed`() async throws {
        let key = try JWTKit.Insecure.RSA.PrivateKey(backing: _RSA.Signing.PrivateKey(keySize: .bits2048))
        let signer = await JWTKeyCollection().add(rsa: key, digestAlgorithm: .sha256, kid: "k")
        let token = try await signer.sign(Claims(sub: "u1", exp: Double(exp)), kid: "k")
        let verifier = try await BearerVerifier(.publicKey(key.publicKey.pemRepresentation), policy: BearerPolicy())
        #expect(try await verifier.user(authorization: "Bearer " + token, at: Fixture.now).text == "u1")
        await #expect(throws: BearerRefusal.self) {
            try await verifier.user(authorization: "Bearer " + token.dropLast(6) + "AAAAAA", at: Fixture.now)
        }
    }

    static func sign(
        _ claims: String, alg: String, kid: String? = nil, _ signature: ([UInt8]) throws -> some Sequence<UInt8>
    ) throws -> String {
        let header = kid.map { #"{"alg":"\#(alg)","kid":"\#($0)"}"# } ?? #"{"alg":"\#(alg)"}"#
        let text = Base64URL.encode(header.utf8) + "." + Base64URL.encode(claims.utf8)
        return text + "." + Base64URL.encode(try signature(Array(text.utf8)))
    }

    private struct Claims: JWTPayload {
        let sub: String
        let exp: Double
        func verify(using algorithm: some JWTAlgorithm) async throws {}
    }
}

struct Base64URLTests {
    @Test func `one spelling for every byte string`() {
        for length in 0..<64 {
            let bytes = (0..<length).map { _ in UInt8.random(in: 0...255) }
            #expect(Base64URL.decode(Base64URL.encode(bytes).utf8) == bytes)
        }
        for text in ["A", "AB", "AAB", "AA=", "AA==", "+A", "/A", "A A", "AAAAA", "é"] {
            #expect(Base64URL.decode(text.utf8) == nil, "\(text)")
        }
    }
}
