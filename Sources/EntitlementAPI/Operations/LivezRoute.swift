import Hummingbird

/// `GET /livez`: this process answers; it asks nobody.
enum LivezRoute {
    /// - Throws: Nothing; the table wants the same form of all routes.
    static func respond(to call: OpenCall) async throws(Problem) -> Response {
        var json = JSONWriter(capacity: 32)
        json.beginObject()
        json.member("status", "alive")
        json.endObject()
        return .json(json.bytes)
    }
}
