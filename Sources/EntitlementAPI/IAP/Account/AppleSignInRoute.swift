import Entitlements
import Hummingbird

/// `POST /api/iap/apple/sign-in`: signs in the user of an Apple account, for apps without a login (`semantics.md` §5,
/// *The Apple account as sign-in*).
///
/// A sign-in writes nothing, so a flood of them leaves no rows.
enum AppleSignInRoute {
    /// - Throws: `not_found` where it is off; the problem of a defective request or text; `signed_in_elsewhere`,
    ///   `stale`, `unavailable`.
    static func respond(to call: OpenCall) async throws(Problem) -> Response {
        guard let days = call.api.appleTokenDays else { throw .noAppleAccounts }
        let account = try await ShownAppleAccount(in: call)
        if let refusal = account.note?.refusal(of: account.madeAt, for: account.user) { throw Problem(refusal) }
        let ring = try await call.signingKeys()
        let claims = AppleAccountClaims(of: account.user, shownBy: account.madeAt, at: call.now, forDays: days)
        // `try?` drops the library's error, which never occurs for a key that it made.
        guard let token = try? ring.signer.token(typed: AppleAccountClaims.type, claims.bytes) else {
            throw .unexpected
        }
        let body = JSONWriter.object { json in
            json.member("user_id", account.user.text)
            json.member("token", token)
            json.member("expires_at", claims.expiresAt)
        }
        return .json(body, cacheControl: "private, no-store")
    }
}
