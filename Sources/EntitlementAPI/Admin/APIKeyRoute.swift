import Entitlements
import Hummingbird
package import LedgerStore
import StrictJSON

/// The keys of servers.
enum APIKeyRoute {
    /// `POST /api/admin/api-keys`: a new key; its secret is in this answer, and in repeats of it, and nowhere else.
    ///
    /// - Throws: `invalid_request`, what `idempotently` throws, `unavailable`.
    static func create(_ call: ServerCall) async throws(Problem) -> Response {
        let body = try await call.json()
        let request = try request(in: body.value)
        let reason = try body.reason()
        return try await call.idempotently(body, about: .nobody) { attempt async throws(Problem) in
            let (key, secret) = try await call.served {
                try await $0.apiKeys.create(request, by: call.actor, reason: reason) { key, secret in
                    attempt.remembered(.created, key.json(with: secret))
                }
            }
            return JSONAnswer(status: .created, bytes: key.json(with: secret), isRemembered: true)
        }
    }

    /// `POST /api/admin/api-keys/{key_id}/revoke`: the key never counts again.
    static let revoke = Routes.idempotent(onRow: "key_id") {
        try await $0.apiKeys.revoke($1, by: $2, reason: $3)?.json()
    }

    private static func request(in body: JSONValue) throws(Problem) -> APIKeyRequest {
        guard let name = body["name"]?.string else {
            throw .invalidRequest("The name is required.", at: "#/name")
        }
        let texts = body["scopes"]?.elements?.map(\.string) ?? []
        let scopes = texts.map { $0.flatMap(APIKeyScope.init) }
        guard !scopes.isEmpty, !scopes.contains(nil) else {
            throw .invalidRequest("The scopes are a list of read, write, admin and audit.", at: "#/scopes")
        }
        guard let request = APIKeyRequest(name: name, scopes: Set(scopes.compactMap(\.self))) else {
            throw .invalidRequest(
                "The name has 1 to \(APIKeyRequest.nameLimit) characters and no control character.", at: "#/name")
        }
        return request
    }
}

extension APIKey {
    /// The key as the API and the command write it, with its secret only when it has just been made.
    package func json(with secret: APIKeySecret? = nil) -> [UInt8] {
        JSONWriter.object { json in
            json.members(of: self)
            if let secret { json.member("key", secret.text) }
        }
    }
}

extension JSONWriter {
    /// The members of a key, into an object that is open.
    mutating func members(of key: APIKey) {
        member("id", String(key.id))
        member("name", key.name)
        name("scopes")
        array(key.scopes.sorted()) { $0.value($1.rawValue) }
        member("created_at", key.createdAt)
        member("revoked_at", key.revokedAt)
        member("last_used_at", key.lastUsedAt)
    }
}
