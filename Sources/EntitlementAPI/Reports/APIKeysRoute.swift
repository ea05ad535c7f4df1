import Entitlements
import Hummingbird
package import LedgerStore

/// `GET /api/admin/api-keys`: all keys without their secrets, newest first, the revoked ones too.
enum APIKeysRoute {
    /// - Throws: `invalid_request` for a limit or a cursor that is none, `unavailable`.
    static func respond(to call: ServerCall) async throws(Problem) -> Response {
        let page = try PageRequest(try Query(call.request.uri.query), of: "api-keys")
        let rows = try await call.served { try await $0.apiKeys.page(before: page.before, limit: page.readLimit) }
        return .json(page.body(of: rows, number: \.id) { $0.append($1) })
    }
}

/// A key as the API and the command write it.
package struct APIKeyBody {
    package let bytes: [UInt8]

    /// With its secret only when it has just been made.
    package init(_ key: APIKey, _ secret: APIKeySecret? = nil) {
        var json = JSONWriter(capacity: 384)
        json.append(key, secret)
        bytes = json.bytes
    }
}

extension JSONWriter {
    /// Writes a key as one value.
    mutating func append(_ key: APIKey, _ secret: APIKeySecret? = nil) {
        beginObject()
        member("id", String(key.id))
        member("name", key.name)
        name("scopes")
        array(key.scopes.sorted()) { $0.value($1.rawValue) }
        member("created_at", key.createdAt)
        member("revoked_at", key.revokedAt)
        member("last_used_at", key.lastUsedAt)
        if let secret { member("key", secret.text) }
        endObject()
    }
}
