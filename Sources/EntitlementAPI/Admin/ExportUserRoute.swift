import Entitlements
import Hummingbird
import LedgerStore

/// `GET /api/admin/users/{user_id}/export`: everything stored about a user, as one JSON document.
enum ExportUserRoute {
    /// - Throws: `not_found` for a user who was never seen, `unavailable`.
    static func respond(to call: ServerCall) async throws(Problem) -> Response {
        let user = try call.namedUser()
        let document = try await call.served { try await $0.export.document(of: user) }
        guard let document else { throw .notFound }
        return .json(Array(document.utf8))
    }
}
