/// The log line of a request whose answer is known: neither query nor header nor body, so no token ever stands in it
/// (`threats.md` T31).
package struct AccessLine: Sendable {
    let method: String
    /// The path in the URL table, so that no id stands in the log; `-` where there is none.
    let route: String
    let status: Int
    let duration: Duration
    let requestID: String
}

extension JSONWriter {
    /// Writes the line's members into an object that was begun.
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
