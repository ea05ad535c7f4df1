import Foundation

#if canImport(CryptoKit)
    import CryptoKit
#else
    import Crypto
#endif

/// A genuine entitlement token (`api.md`, Entitlement token): the status as of `iat`, until `exp`.
struct OfflineToken: Sendable {
    let status: Status
    /// The claim `exp`, exclusive.
    let endsAt: Date

    enum Refusal: Error { case malformed, unknownKey, notGenuine, notMine, notNow }

    /// The document behind `/.well-known/jwks.json`.
    struct KeySet: Codable, Sendable {
        struct Key: Codable, Sendable {
            let kid: String
            let kty: String
            let crv: String
            let x: String
            let y: String
        }

        var keys: [Key] = []
    }

    /// Reads a token of `user` for the app `bundleID`; anything that is not exactly that is refused.
    static func verified(
        _ token: String, keys: KeySet, user: String, bundleID: String, now: Date
    ) throws(Refusal) -> OfflineToken {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let head = Data(base64URL: parts[0]), let body = Data(base64URL: parts[1]),
            let sign = Data(base64URL: parts[2]),
            let header = try? JSONDecoder().decode(Header.self, from: head),
            header.alg == "ES256", header.typ == "entitlement+jwt"  // never let the token choose how it is checked
        else { throw .malformed }
        guard let key = keys.keys.first(where: { $0.kid == header.kid && $0.kty == "EC" && $0.crv == "P-256" }),
            let x = Data(base64URL: key.x[...]), let y = Data(base64URL: key.y[...]), x.count == 32, y.count == 32,
            let publicKey = try? P256.Signing.PublicKey(rawRepresentation: x + y)
        else { throw .unknownKey }
        guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: sign),
            publicKey.isValidSignature(signature, for: Data("\(parts[0]).\(parts[1])".utf8)),
            let claims = try? JSONDecoder.gatepass.decode(Claims.self, from: body), claims.iss == "gatepass"
        else { throw .notGenuine }
        guard claims.sub == user, claims.aud.contains(bundleID) else { throw .notMine }
        let seconds = now.timeIntervalSince1970
        guard seconds < claims.exp, seconds >= claims.iat - 300 else { throw .notNow }  // a clock may be slow
        return OfflineToken(status: claims.status, endsAt: Date(timeIntervalSince1970: claims.exp))
    }

    private struct Header: Decodable {
        let alg: String
        let typ: String
        let kid: String
    }

    private struct Claims: Decodable {
        let iss: String
        let sub: String
        let aud: [String]
        let iat: Double
        let exp: Double
        let active: Bool
        let tier: String?
        let expiresAt: Date?
        let accessExpiresAt: Date?
        let state: String
        let features: [String]
        let limits: [String: Int]
        let addOns: [Status.AddOn]

        var status: Status {
            Status(
                userID: sub, at: Date(timeIntervalSince1970: iat), active: active, tier: tier, expiresAt: expiresAt,
                accessExpiresAt: accessExpiresAt, state: state, features: features, limits: limits, addOns: addOns)
        }
    }
}

/// A claim of any JWS, not verified: it tells users and accounts apart, and unlocks nothing. An opaque token has none.
func unverifiedClaim(_ name: String, of jws: String) -> String? {
    let parts = jws.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let body = Data(base64URL: parts[1]) else { return nil }
    return (try? JSONSerialization.jsonObject(with: body) as? [String: Any])?[name] as? String
}

extension Data {
    fileprivate init?(base64URL text: Substring) {
        let base64 = text.replacing("-", with: "+").replacing("_", with: "/")
        self.init(base64Encoded: base64 + String(repeating: "=", count: (4 - base64.count % 4) % 4))
    }
}
