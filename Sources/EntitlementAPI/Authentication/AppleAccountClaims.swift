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

    /// - Parameter madeAt: The instant at which Apple made the text that signs in. The token counts as long as its
    ///   text: a sign-out that commits beside the sign-in, or on a clock that is behind, ends both.
    init(of user: UserID, shownBy madeAt: Instant, at now: Instant, forDays days: Int) {
        let seconds = now.milliseconds / 1_000
        let expires = seconds + Int64(days) * Instant.millisecondsPerDay / 1_000
        expiresAt = Instant(milliseconds: expires * 1_000)
        bytes = JSONWriter.object { json in
            json.member("iss", EntitlementClaims.issuer)
            json.member("sub", user.text)
            json.member("aud", Self.audience)
            json.member("iat", Int(seconds))
            json.member("text_made_at_ms", Int(madeAt.milliseconds))
            json.member("exp", Int(expires))
        }
    }

    /// The user whom `token` names.
    ///
    /// - Throws: ``BearerRefusal`` unless one of the keys signed it and it is valid at `now`.
    fileprivate static func read(
        _ token: BearerToken, under ring: SigningKeyRing, at now: Instant
    ) throws(BearerRefusal) -> NamedUser {
        guard let key = ring.published.first(where: { $0.kid == token.kid }) else {
            throw .invalid("The token's key is not known.")
        }
        guard token.algorithm == "ES256", key.isValid(token.signature, for: token.signedText) else {
            throw .invalid("The token's signature does not match.")
        }
        let user = try policy.admission(by: token.claims, at: now).user
        guard let madeAt = token.claims["text_made_at_ms"]?.integer.flatMap({ Int64($0) }) else {
            throw .invalid("The token's dates cannot be read.")
        }
        return NamedUser(user: user, madeAt: Instant(milliseconds: madeAt))
    }
}

/// The user whom a token names. The note of an Apple account is not read yet.
struct NamedUser {
    let user: UserID
    /// The instant at which the text was made by which an Apple account signed in; nil for a login's token.
    let madeAt: Instant?
}

extension OpenCall {
    /// The user whom the request's token names: a token of the login, or one that an Apple account got here.
    ///
    /// - Throws: `unauthenticated`, `user_id_not_allowed`, `unavailable`.
    func namedUser() async throws(Problem) -> NamedUser {
        let field = request.headers[.authorization]
        let own = field.flatMap(BearerVerifier.token).flatMap { text in
            BearerToken.headerType(of: text) == AppleAccountClaims.type ? text : nil
        }
        guard own == nil || api.appleTokenDays != nil else {
            throw Problem(.invalid("Apple accounts do not sign in here.") as BearerRefusal)
        }
        let ring = own == nil ? nil : try await signingKeys()
        do throws(BearerRefusal) {
            if let own, let ring { return try AppleAccountClaims.read(try BearerToken(own), under: ring, at: now) }
            let user = try await api.bearers.user(authorization: field, at: api.realNow())
            return NamedUser(user: user, madeAt: nil)
        } catch {
            throw Problem(error)
        }
    }

    /// Requires that the Apple account of `named` still signs them in. Its note is read for each request, so that a
    /// sign-out works at once on every instance.
    ///
    /// - Throws: `unauthenticated`, `signed_in_elsewhere`, `unavailable`.
    func requireSignedIn(_ named: NamedUser) async throws(Problem) {
        guard let madeAt = named.madeAt else { return }
        let note = try await served { try await $0.accountTokens.note(of: named.user) }
        switch note?.refusal(of: madeAt, for: named.user) {
        case nil: return
        case .signedInElsewhere?: throw Problem(.signedInElsewhere as BearerRefusal)
        case .stale?, .revoked?, .noAppleAccount?, .ownLoginRequired?:
            throw Problem(.invalid("The user was signed out after the token was issued.") as BearerRefusal)
        }
    }
}
