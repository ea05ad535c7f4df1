import Entitlements
import Hummingbird
package import LedgerStore
import StrictJSON

/// The creation and revocation of servers' API keys.
enum APIKeyRoute {
    /// `POST /api/admin/api-keys`: creates a key. Only this answer, and its repeats under the same idempotency key,
    /// hold the secret.
    ///
    /// - Throws: `invalid_request`, what ``ServerCall/idempotently(_:about:act:)`` throws, `unavailable`.
    static func create(_ call: ServerCall) async throws(Problem) -> Response {
        let body = try await call.json()
        let request = try request(in: body.value)
        let reason = try body.reason()
        guard try !call.isDryRun() else { return .json(request.preview.bytes(beside: [])) }
        return try await call.idempotently(body, about: .nobody) { attempt async throws(Problem) in
            let (key, secret) = try await call.served {
                try await $0.apiKeys.create(request, by: call.actor, reason: reason) { key, secret in
                    attempt.remembered(.created, key.json(with: secret))
                }
            }
            call.api.logger.tell(.createAPIKey, by: call.actor)
            return JSONAnswer(status: .created, bytes: key.json(with: secret), isRemembered: true)
        }
    }

    /// `POST /api/admin/api-keys/{key_id}/revoke`: revokes a key for good.
    static let revoke = Routes.idempotent(
        .revokeAPIKey, onRow: "key_id",
        previewedBy: { try await $0.apiKeys.key($1).map { $0.previewOfRevocation.bytes(beside: $0.json()) } }
    ) {
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
    /// The key as JSON, for the API and the command line. The secret is given only when the key has just been created.
    package func json(with secret: APIKeySecret? = nil) -> [UInt8] {
        JSONWriter.object { json in
            json.members(of: self)
            if let secret { json.member("key", secret.text) }
        }
    }
}

extension JSONWriter {
    /// Writes the members of a key into an object that has been begun.
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
