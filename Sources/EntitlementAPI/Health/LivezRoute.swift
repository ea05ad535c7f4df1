import Hummingbird

/// `GET /livez`: answers 200 as long as the process answers at all.
enum LivezRoute {
    /// - Throws: Nothing. The URL table requires the same signature of all routes.
    static func respond(to call: OpenCall) async throws(Problem) -> Response {
        var json = JSONWriter(capacity: 32)
        json.beginObject()
        json.member("status", "alive")
        json.endObject()
        return .json(json.bytes)
    }
}
