import Crypto
import Foundation

/// A token that must not verify, made of a genuine one and of what everybody can fetch.
struct TokenForgery: Sendable {
    let name: String
    let token: String
    let refusal: OfflineEntitlement.Refusal

    /// Throws when the genuine token is none.
    static func all(of genuine: String, publishedUnder keys: OfflineEntitlement.KeySet) throws -> [TokenForgery] {
        let parts = genuine.split(separator: ".").map(String.init)
        guard parts.count == 3, let key = keys.keys.first else { throw OfflineEntitlement.Refusal.malformed }
        let (head, body, sign) = (parts[0], parts[1], parts[2])
        let own = P256.Signing.PrivateKey()
        let header = { (alg: String, kid: String, more: String) in
            text(#"{"alg":"\#(alg)","kid":"\#(kid)","typ":"entitlement+jwt"\#(more)}"#)
        }
        let signed = { (head: String) throws in
            let text = head + "." + body
            return text + "." + encode(try own.signature(for: Data(text.utf8)).rawRepresentation)
        }
        let point = own.publicKey.rawRepresentation
        let jwk =
            #","jwk":{"kty":"EC","crv":"P-256","x":"\#(encode(point.prefix(32)))","y":"\#(encode(point.suffix(32)))"}"#
        return [
            .init(name: "nothing", token: "", refusal: .malformed),
            .init(name: "two segments", token: head + "." + body, refusal: .malformed),
            .init(name: "four segments", token: genuine + ".x", refusal: .malformed),
            .init(name: "alg none", token: header("none", key.kid, "") + "." + body + ".", refusal: .malformed),
            .init(
                name: "alg none, signed", token: header("none", key.kid, "") + "." + body + "." + sign,
                refusal: .malformed),
            .init(name: "alg ES256, unsigned", token: head + "." + body + ".", refusal: .notGenuine),
            .init(
                name: "HS256 under x", token: hs256(header("HS256", key.kid, ""), body, Data(key.x.utf8)),
                refusal: .malformed),
            .init(
                name: "HS256 under the public point",
                token: hs256(header("HS256", key.kid, ""), body, bytes(key.x) + bytes(key.y)), refusal: .malformed),
            .init(
                name: "ES256 in name, HS256 in deed",
                token: hs256(header("ES256", key.kid, ""), body, bytes(key.x) + bytes(key.y)), refusal: .notGenuine),
            .init(name: "one's own key under its name", token: try signed(head), refusal: .notGenuine),
            .init(
                name: "one's own key in the header", token: try signed(header("ES256", key.kid, jwk)),
                refusal: .notGenuine),
            .init(name: "a key of no name", token: try signed(header("ES256", "mine", jwk)), refusal: .unknownKey),
            .init(
                name: "another typ",
                token: text(#"{"alg":"ES256","kid":"\#(key.kid)","typ":"JWT"}"#) + "." + body + "." + sign,
                refusal: .malformed),
            .init(
                name: "other claims",
                token: head + "." + text(#"{"iss":"gatepass","sub":"victim","active":true}"#) + "." + sign,
                refusal: .notGenuine),
            .init(
                name: "a signature of zeros", token: head + "." + body + "." + encode(Data(count: 64)),
                refusal: .notGenuine),
            .init(
                name: "the signature in DER",
                token: head + "." + body + "."
                    + encode(try P256.Signing.ECDSASignature(rawRepresentation: bytes(sign)).derRepresentation),
                refusal: .notGenuine),
            .init(
                name: "half a signature", token: head + "." + body + "." + encode(bytes(sign).prefix(32)),
                refusal: .notGenuine),
        ]
    }

    private static func hs256(_ head: String, _ body: String, _ secret: Data) -> String {
        let text = head + "." + body
        let code = HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: SymmetricKey(data: secret))
        return text + "." + encode(Data(code))
    }

    private static func text(_ json: String) -> String { encode(Data(json.utf8)) }

    private static func encode(_ bytes: Data) -> String {
        bytes.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    private static func bytes(_ base64URL: String) -> Data {
        let base64 = base64URL.replacing("-", with: "+").replacing("_", with: "/")
        return Data(base64Encoded: base64 + String(repeating: "=", count: (4 - base64.count % 4) % 4)) ?? Data()
    }
}
