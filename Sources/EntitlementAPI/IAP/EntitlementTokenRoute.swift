import Entitlements
import Hummingbird

/// `GET /api/iap/entitlement-token`: the status as a signed token, for a device without a connection.
enum EntitlementTokenRoute {
    /// - Throws: `invalid_request` if several apps are sold and none is named, `not_found` for an app that the
    ///   catalogue does not have, `rate_limited`, `unavailable` if the signing key or the database cannot be used.
    static func respond(to call: UserCall) async throws(Problem) -> Response {
        let query = try Query(call.request.uri.query)
        let ring = try await call.signingKeys()
        let claims = try await call.folding(call.user) { (ledger) async throws(Problem) in
            let catalogue = call.api.catalogue
            let version = catalogue.inForce(at: call.now)
            let app = try query.app(of: version.catalogue)
            let offline = OfflineEntitlement(
                at: call.now, forHours: ring.tokenHours, call.api.standings(ledger, catalogue, call.now))
            return EntitlementClaims(offline, for: app, catalogVersion: version.number)
        }
        // `try?` drops the library's error, which never occurs for a key that it made.
        guard let token = try? ring.signer.token(typed: EntitlementClaims.type, claims.bytes) else {
            throw .unexpected
        }
        var json = JSONWriter(capacity: token.utf8.count + 64)
        json.beginObject()
        json.member("token", token)
        json.member("expires_at", claims.expiresAt)
        json.endObject()
        return .json(json.bytes, cacheControl: "private, no-store")
    }
}
