import Entitlements
import Hummingbird
import LedgerStore
import StrictJSON

/// The JSON of the claims by which a token of this server signs in the user of an Apple account (RFC 7519 §4).
struct AppleAccountClaims {
    /// The header's `typ` (RFC 8725 §3.11), by which this token is told from one for offline use and from a login's.
    static let type = "apple-account+jwt"

    private static let audience = "gatepass"

    private static let policy = BearerPolicy(
        issuer: EntitlementClaims.issuer, audience: audience, namesAppleAccounts: true)

    let bytes: [UInt8]
    /// The claim `exp` as an instant, cut to whole seconds.
    let expiresAt: Instant

    init(of user: UserID, at now: Instant, forDays days: Int) {
        let seconds = now.milliseconds / 1_000
        let expires = seconds + Int64(days) * Instant.millisecondsPerDay / 1_000
        expiresAt = Instant(milliseconds: expires * 1_000)
        bytes = JSONWriter.object { json in
            json.member("iss", EntitlementClaims.issuer)
            json.member("sub", user.text)
            json.member("aud", Self.audience)
            json.member("iat", Int(seconds))
            json.member("iat_ms", Int(now.milliseconds))
            json.member("exp", Int(expires))
        }
    }

    /// The user whom `token` names, and the instant at which it was issued.
    ///
    /// - Throws: ``BearerRefusal`` unless one of the keys signed it and it is valid at `now`.
    fileprivate static func read(
        _ token: BearerToken, under ring: SigningKeyRing, at now: Instant
    ) throws(BearerRefusal) -> (user: UserID, issuedAt: Instant) {
        guard let key = ring.published.first(where: { $0.kid == token.kid }) else {
            throw .invalid("The token's key is not known.")
        }
        guard token.algorithm == "ES256", key.isValid(token.signature, for: token.signedText) else {
            throw .invalid("The token's signature does not match.")
        }
        let user = try policy.admission(by: token.claims, at: now).user
        guard let issuedAt = token.claims["iat_ms"]?.integer.flatMap({ Int64($0) }) else {
            throw .invalid("The token's dates cannot be read.")
        }
        return (user, Instant(milliseconds: issuedAt))
    }
}

extension OpenCall {
    /// The user who is signed in: by a token of the login, or by one that an Apple account got here.
    ///
    /// - Throws: `unauthenticated`, `user_id_not_allowed`, `signed_in_elsewhere`, `unavailable`.
    func signedInUser() async throws(Problem) -> UserID {
        let field = request.headers[.authorization]
        if let text = field.flatMap(BearerVerifier.token), BearerToken.headerType(of: text) == AppleAccountClaims.type {
            return try await appleAccountUser(by: text)
        }
        do throws(BearerRefusal) {
            return try await api.bearers.user(authorization: field, at: api.realNow())
        } catch {
            throw Problem(error)
        }
    }

    /// The user of an Apple account whom `text`, a token of this server, signs in. The account's note is read for each
    /// request, so that a sign-out works at once on every instance.
    ///
    /// - Throws: `unauthenticated`, `signed_in_elsewhere`, `unavailable`.
    private func appleAccountUser(by text: String) async throws(Problem) -> UserID {
        guard api.appleTokenDays != nil else {
            throw Problem(.invalid("Apple accounts do not sign in here.") as BearerRefusal)
        }
        let ring = try await signingKeys()
        let token: (user: UserID, issuedAt: Instant)
        do throws(BearerRefusal) {
            token = try AppleAccountClaims.read(try BearerToken(text), under: ring, at: now)
        } catch {
            throw Problem(error)
        }
        let note = try await served { try await $0.accountTokens.note(of: token.user) }
        switch note?.refusal(of: token.issuedAt, for: token.user) {
        case nil: return token.user
        case .signedInElsewhere?: throw Problem(.signedInElsewhere as BearerRefusal)
        case .stale?, .revoked?, .noAppleAccount?, .ownLoginRequired?:
            throw Problem(.invalid("The user was signed out after the token was issued.") as BearerRefusal)
        }
    }
}
