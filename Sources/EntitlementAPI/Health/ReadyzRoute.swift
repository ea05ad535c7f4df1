import HTTPTypes
import Hummingbird

/// `GET /readyz`: the version, and the result of each readiness check; the status is 503 if a check failed.
enum ReadyzRoute {
    /// - Throws: Nothing. The URL table requires the same signature of all routes.
    static func respond(to call: OpenCall) async throws(Problem) -> Response {
        let readiness = await call.api.readiness()
        var json = JSONWriter()
        json.beginObject()
        json.member("status", readiness.isReady ? "ready" : "unavailable")
        json.member("version", readiness.version)
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
