import Entitlements
import Hummingbird
import LedgerStore

/// `GET /api/admin/search?q=`: whatever the text is the exact name of, and whose it is.
enum SearchRoute {
    /// - Throws: `invalid_request` without a text, or for one that is too long, `unavailable`.
    static func respond(to call: ServerCall) async throws(Problem) -> Response {
        let query = try Query(call.request.uri.query)
        guard let text = try query.text("q"),
            (1...OperatorReader.maximumQueryLength).contains(text.unicodeScalars.count)
        else {
            throw .invalidRequest(
                "The parameter is required: 1 to \(OperatorReader.maximumQueryLength) characters.", at: "?q")
        }
        let found = try await call.served { () async throws(ServiceFailure) in
            try await call.api.operators.search(text)
        }
        var json = JSONWriter()
        json.beginObject()
        json.name("data")
        json.array(found) { $0.append($1) }
        json.name("next_cursor")
        json.null()
        json.endObject()
        return .json(json.bytes)
    }
}

extension JSONWriter {
    fileprivate mutating func append(_ found: Found) {
        switch found {
        case .user(let user): appendFound("user", user)
        case .accountToken(let user): appendFound("account_token", user)
        case .purchase(let key, let owner): appendFound("purchase", owner, key)
        case .transaction(let id, let key, let owner): appendFound("transaction", owner, key, id)
        }
    }

    private mutating func appendFound(
        _ kind: String, _ user: UserID?, _ key: PurchaseKey? = nil, _ transaction: TransactionID? = nil
    ) {
        beginObject()
        member("kind", kind)
        member("user_id", user?.text)
        member("source", key?.source.rawValue)
        member("app", key?.app.text)
        member("environment", key?.environment.rawValue)
        member("external_id", key?.externalID.text)
        member("transaction_id", transaction?.text)
        endObject()
    }
}
