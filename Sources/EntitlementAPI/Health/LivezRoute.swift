import Hummingbird

/// `GET /livez`: whether this process answers; nothing else is checked.
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
