import Entitlements
import Hummingbird

/// `GET /api/admin/users/{user_id}/status`: what the user would be told; one who was never seen has nothing.
enum AdminStatusRoute {
    /// - Throws: `not_found` for what is no user id, `invalid_request`, `unavailable`.
    static func respond(to call: ServerCall) async throws(Problem) -> Response {
        try await StatusRoute.answer(about: try call.namedUser(), call)
    }
}
