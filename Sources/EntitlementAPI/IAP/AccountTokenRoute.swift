import Entitlements
import Hummingbird
import LedgerStore

/// `GET /api/iap/apple/account-token`: the user's account token, which the app passes to the App Store. A user always
/// gets the same token.
enum AccountTokenRoute {
    /// - Throws: `unavailable`.
    static func respond(to call: UserCall) async throws(Problem) -> Response {
        let token = try await call.served { try await $0.accountTokens.token(of: call.user) }
        var json = JSONWriter(capacity: 96)
        json.beginObject()
        json.member("app_account_token", token.description)
        json.endObject()
        return .json(json.bytes)
    }
}
