import Crypto
import Entitlements
import LedgerStore
import Testing

@testable import EntitlementAPI

/// What somebody with access to the database, and without the key-encryption key, cannot do.
struct KeySealTests {
    private let other = KeySeal(SymmetricKey(data: Array(repeating: 8, count: 32)))

    @Test func `a sealed key opens under its key and its name alone`() throws {
        let secret = Array(repeating: UInt8(1), count: 32)
        let sealed = try #require(Keys.seal.seal(secret, as: "a"))
        #expect(sealed.count == KeySeal.sealedKeyBytes)
        let opened = try #require(Keys.seal.open(sealed, as: "a"))
        #expect(opened.secret == secret && !opened.isOutdated)
        #expect(Keys.seal.open(sealed, as: "b") == nil)
        #expect(other.open(sealed, as: "a") == nil)
        #expect(Keys.seal.seal(secret, as: "a") != sealed)
    }

    @Test func `what was sealed under a previous key is opened and is to be sealed again`() throws {
        let secret = Array(repeating: UInt8(1), count: 32)
        let sealed = try #require(Keys.seal.seal(secret, as: "a"))
        let next = KeySeal(SymmetricKey(size: .bits256), previous: [SymmetricKey(size: .bits256), Keys.key])
        let opened = try #require(next.open(sealed, as: "a"))
        #expect(opened.secret == secret && opened.isOutdated)
        #expect(next.open(sealed, as: "b") == nil)
        let again = try #require(next.seal(secret, as: "a"))
        #expect(next.open(again, as: "a")?.isOutdated == false && Keys.seal.open(again, as: "a") == nil)
    }

    @Test func `no bit of a sealed key can be changed, and none left out`() throws {
        let sealed = try #require(Keys.seal.seal(Array(repeating: 1, count: 32), as: "a"))
        for bit in 0..<(sealed.count * 8) {
            var changed = sealed
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(Keys.seal.open(changed, as: "a") == nil, "bit \(bit)")
        }
        for length in 0..<sealed.count { #expect(Keys.seal.open(Array(sealed[..<length]), as: "a") == nil) }
    }

    @Test func `a key that is not whole is no key`() {
        let stranger = Keys.stored()
        let changes: [(String, (inout Keys.Parts) -> Void)] = [
            ("another's sealed key", { $0.sealed = stranger.key.sealedKey }),
            ("another's public key", { $0.jwk = stranger.key.publicJWK }),
            ("another's name", { $0.kid = stranger.key.kid }),
            (
                "all of another's but the sealed key",
                { ($0.kid, $0.jwk) = (stranger.key.kid, stranger.key.publicJWK) }
            ),
            ("nothing sealed", { $0.sealed = [] }), ("no name", { $0.kid = "" }),
            ("zeros sealed", { $0.sealed = Keys.seal.seal(Array(repeating: 0, count: 32), as: $0.kid) ?? [] }),
        ]
        for (name, change) in changes {
            #expect(SigningKey(Keys.stored(changing: change).key, under: Keys.seal) == nil, "\(name)")
        }
        #expect(SigningKey(stranger.key, under: Keys.seal)?.kid == stranger.key.kid)
        #expect(SigningKey(stranger.key, under: other) == nil)
    }

    @Test func `a key's name is its RFC 7638 thumbprint`() throws {
        // The point of RFC 7515 A.3.
        let x = try #require(Base64URL.decode("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU".utf8))
        let y = try #require(Base64URL.decode("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0".utf8))
        let key = JSONWebKey(try P256.Signing.PublicKey(rawRepresentation: x + y))
        let text =
            #"{"crv":"P-256","kty":"EC","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","#
            + #""y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}"#
        #expect(key.text == text)
        #expect(key.thumbprint == "oKIywvGUpTVTyxMQ3bwIIeQUudfr_CkLMjCE19ECD-U")
    }
}
