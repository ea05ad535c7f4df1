import Entitlements
import Hummingbird
import LedgerStore
import StrictJSON

/// `POST /api/admin/api-keys`: a new key; its secret is in this answer, and in repeats of it, and nowhere else.
enum CreateAPIKeyRoute {
    /// - Throws: `invalid_request`, what `idempotently` throws, `unavailable`.
    static func respond(to call: ServerCall) async throws(Problem) -> Response {
        let body = try await call.json()
        let request = try request(in: body.value)
        let reason = try Reason(optionalIn: body.value)
        return try await call.idempotently(body, about: .nobody) { attempt async throws(Problem) in
            let (key, secret) = try await call.served {
                try await $0.apiKeys.create(request, by: call.actor, reason: reason.text) { key, secret in
                    attempt.remembered(.created, APIKeyBody(key, secret).bytes)
                }
            }
            return JSONAnswer(status: .created, bytes: APIKeyBody(key, secret).bytes, isRemembered: true)
        }
    }

    private static func request(in body: JSONValue) throws(Problem) -> APIKeyRequest {
        guard let name = body["name"]?.string else {
            throw .invalidRequest("The name is required.", at: "#/name")
        }
        let texts = body["scopes"]?.elements?.map(\.string) ?? []
        let scopes = texts.map { $0.flatMap(APIKeyScope.init) }
        guard !scopes.isEmpty, !scopes.contains(nil) else {
            throw .invalidRequest("The scopes are a list of read, write and admin.", at: "#/scopes")
        }
        guard let request = APIKeyRequest(name: name, scopes: Set(scopes.compactMap(\.self))) else {
            throw .invalidRequest(
                "The name has 1 to \(APIKeyRequest.nameLimit) characters and no control character.", at: "#/name")
        }
        return request
    }
}

/// Why an operator does something, in their words.
package struct Reason {
    package static let maximumCharacters = 500

    /// Nil where none is given.
    let text: String?

    /// - Throws: `invalid_request` for what is no text, or too long.
    init(optionalIn body: JSONValue) throws(Problem) {
        guard let value = body["reason"], !value.isNull else {
            text = nil
            return
        }
        guard let text = value.string, (1...Self.maximumCharacters).contains(text.unicodeScalars.count) else {
            throw .invalidRequest("The reason has 1 to \(Self.maximumCharacters) characters.", at: "#/reason")
        }
        self.text = text
    }
}
