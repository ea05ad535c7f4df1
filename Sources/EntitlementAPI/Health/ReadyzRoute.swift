import HTTPTypes
import Hummingbird

/// `GET /readyz`: whether requests can be served, check by check; 503 while one is not in order.
enum ReadyzRoute {
    /// - Throws: Nothing; the table wants the same form of all routes.
    static func respond(to call: OpenCall) async throws(Problem) -> Response {
        let readiness = await call.api.readiness()
        var json = JSONWriter()
        json.beginObject()
        json.member("status", readiness.isReady ? "ready" : "unavailable")
        json.name("checks")
        json.array(readiness.checks) { json, check in
            json.beginObject()
            json.member("name", check.name)
            json.member("ok", check.isInOrder)
            json.member("detail", check.detail)
            json.endObject()
        }
        json.endObject()
        var response = Response.json(json.bytes)
        if !readiness.isReady {
            response.status = .serviceUnavailable
            response.headers[.retryAfter] = String(retryAfterSeconds)
        }
        return response
    }

    private static let retryAfterSeconds = 5
}
