/// The log line of an answered request. It holds no query, header or body, so no token gets into the log (`threats.md`
/// T31).
package struct AccessLine: Sendable {
    let method: String
    /// The path pattern from the URL table, so that no id gets into the log; `-` if no route matched.
    let route: String
    let status: Int
    let duration: Duration
    let requestID: String
}

extension JSONWriter {
    /// Writes the members of a log line into an object that has been begun.
    package mutating func append(_ line: AccessLine) {
        let microseconds =
            line.duration.components.seconds * 1_000_000 + line.duration.components.attoseconds / 1_000_000_000_000
        name("method")
        value(line.method)
        name("route")
        value(line.route)
        name("status")
        value(line.status)
        name("duration_ms")
        value(Double(microseconds) / 1000)
        name("request_id")
        value(line.requestID)
    }
}
