import Entitlements
import Hummingbird
import LedgerStore

/// Lists for operators. Each is the query for a page, and a closure that writes the members of a row. They throw
/// `invalid_request` for a malformed limit or cursor, and `unavailable`.
enum Lists {
    /// `GET /api/admin/api-keys`: all API keys without their secrets, revoked ones too, newest first.
    static let apiKeys = list("api-keys") {
        ListPage(try await $0.apiKeys.page(before: $1, limit: $2 + 1), limit: $2, number: \.id)
    } members: { json, key in
        json.members(of: key)
    }

    /// `GET /api/admin/transactions`: the signed states of all users' transactions, the last recorded first.
    static let transactions = list("transactions") {
        ListPage(try await $0.reports.transactions(before: $1, limit: $2 + 1), limit: $2, number: \.id)
    } members: { json, transaction in
        let state = transaction.state
        json.member("id", String(transaction.id))
        json.member("user_id", transaction.owner?.text)
        json.members(of: state.key)
        json.member("transaction_id", state.transactionID.text)
        json.member("product_id", state.productID.text)
        json.member("quantity", state.quantity)
        json.member("apple_account", state.account?.text)
        json.member("purchased_at", exactly: "purchased_at_ms", state.purchasedAt)
        json.member("expires_at", exactly: "expires_at_ms", state.expiresAt)
        json.member("revoked_at", exactly: "revoked_at_ms", state.revocation?.revokedAt)
        json.member("revoked_share", state.revocation?.share)
        json.member("signed_at", exactly: "signed_at_ms", state.signedAt)
        json.member("recorded_at", exactly: "recorded_at_ms", transaction.recordedAt)
        json.name("unreadable")
        json.array(transaction.unreadable) { $0.value($1) }
    }

    /// `GET /api/admin/conflicts`: the Apple accounts whose purchases belong to several users, or are claimed by
    /// another one who proved the account. The account with the last recorded state comes first.
    static let conflicts = list("conflicts") {
        try await $0.reports.conflicts(before: $1, limit: $2)
    } members: { json, conflict in
        json.member("apple_account", conflict.account.text)
        json.member("app", conflict.app.text)
        json.member("environment", conflict.environment.rawValue)
        json.member("users", objects: conflict.owners) { json, owner in
            json.member("user_id", owner.user?.text)
            json.member("purchases", owner.purchases)
            json.member("refused_claims", owner.refusedClaims)
        }
    }

    /// `GET /api/admin/sandbox-testers`: the present sandbox testers. The user whom this server first saw last comes
    /// first.
    static let sandboxTesters = list("sandbox-testers") {
        try await $0.reports.sandboxTesters(before: $1, limit: $2)
    } members: { json, tester in
        json.member("user_id", tester.user.text)
        json.member("named_at", exactly: "named_at_ms", tester.namedAt)
    }

    /// The route of a list. `read` takes the number of a row and a limit, and reads the rows before that number.
    private static func list<Row: Sendable>(
        _ name: String, _ read: @escaping @Sendable (Store, UInt64?, Int) async throws -> ListPage<Row>,
        members: @escaping @Sendable (inout JSONWriter, Row) -> Void
    ) -> @Sendable (ServerCall) async throws(Problem) -> Response {
        { call throws(Problem) in
            let page = try PageRequest(try Query(call.request.uri.query), of: name)
            let rows = try await call.served { try await read($0, page.before, page.limit) }
            return .json(page.body(of: rows, members))
        }
    }
}
