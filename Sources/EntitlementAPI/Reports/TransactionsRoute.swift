import Entitlements
import Hummingbird
import LedgerStore

/// `GET /api/admin/transactions`: the signed states of everybody's transactions, the last recorded first.
enum TransactionsRoute {
    /// - Throws: `invalid_request` for a limit or a cursor that is none, `unavailable`.
    static func respond(to call: ServerCall) async throws(Problem) -> Response {
        let page = try PageRequest(try Query(call.request.uri.query), of: "transactions")
        let rows = try await call.served {
            try await $0.reports.transactions(before: page.before, limit: page.readLimit)
        }
        return .json(page.body(of: rows, number: \.id) { $0.append($1) })
    }
}

extension JSONWriter {
    fileprivate mutating func append(_ transaction: RecordedTransaction) {
        let state = transaction.state
        beginObject()
        member("id", String(transaction.id))
        member("user_id", transaction.owner?.text)
        members(of: state.key)
        member("transaction_id", state.transactionID.text)
        member("product_id", state.productID.text)
        member("quantity", state.quantity)
        member("apple_account", state.account?.text)
        member("purchased_at", exactly: "purchased_at_ms", state.purchasedAt)
        member("expires_at", exactly: "expires_at_ms", state.expiresAt)
        member("revoked_at", exactly: "revoked_at_ms", state.revocation?.revokedAt)
        member("revoked_share", state.revocation?.share)
        member("signed_at", exactly: "signed_at_ms", state.signedAt)
        member("recorded_at", exactly: "recorded_at_ms", transaction.recordedAt)
        name("unreadable")
        array(transaction.unreadable) { $0.value($1) }
        endObject()
    }
}
