import Entitlements
import Hummingbird
import LedgerStore

/// `GET /api/iap/apple/account-token`: the token that the user's app hands to the App Store; always the same one.
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
