import Foundation

#if canImport(CryptoKit)
    import CryptoKit
#else
    import Crypto
#endif

/// What a genuine entitlement token says (`api.md`, Entitlement token): the status as of `iat`, until `exp`.
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
        guard parts.count == 3, let head = bytes(parts[0]), let body = bytes(parts[1]), let sign = bytes(parts[2]),
            let header = try? JSONDecoder().decode(Header.self, from: head),
            header.alg == "ES256", header.typ == "entitlement+jwt"  // never let the token choose how it is checked
        else { throw .malformed }
        guard let key = keys.keys.first(where: { $0.kid == header.kid && $0.kty == "EC" && $0.crv == "P-256" }),
            let x = bytes(key.x[...]), let y = bytes(key.y[...]), x.count == 32, y.count == 32,
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

    /// The claim `sub` of any JWT, not verified; nil where there is none.
    static func subject(of token: String) -> String? {
        struct Body: Decodable { let sub: String }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let body = bytes(parts[1]) else { return nil }
        return try? JSONDecoder().decode(Body.self, from: body).sub  // an opaque token names nobody
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
        let expires_at: Date?
        let access_expires_at: Date?
        let state: String
        let features: [String]
        let limits: [String: Int]
        let add_ons: [Status.AddOn]

        var status: Status {
            Status(
                userID: sub, at: Date(timeIntervalSince1970: iat), active: active, tier: tier, expiresAt: expires_at,
                accessExpiresAt: access_expires_at, state: state, features: features, limits: limits, addOns: add_ons)
        }
    }

    private static func bytes(_ base64URL: Substring) -> Data? {
        let base64 = base64URL.replacing("-", with: "+").replacing("_", with: "/")
        return Data(base64Encoded: base64 + String(repeating: "=", count: (4 - base64.count % 4) % 4))
    }
}
