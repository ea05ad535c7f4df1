/// The log line of an answered request. It holds no query, header or body, so no token gets into the log (`threats.md`
/// T31).
package struct AccessLine: Sendable, CustomStringConvertible {
    let method: String
    /// The path pattern from the URL table, so that no id gets into the log; `-` if no route matched.
    let route: String
    let status: Int
    let duration: Duration
    let requestID: String
    /// The code of the problem that was answered, and its reason; nil for any other answer.
    let code: ProblemCode?
    let reason: String?

    /// The line for people, such as `GET /livez: 200, 1.25 ms`.
    package var description: String {
        let said = [code?.rawValue, reason].compactMap(\.self).map { " " + $0 }.joined()
        return "\(method) \(route): \(status)\(said), \(Double(microseconds) / 1000) ms"
    }

    fileprivate var microseconds: Int64 {
        duration.components.seconds * 1_000_000 + duration.components.attoseconds / 1_000_000_000_000
    }
}

extension JSONWriter {
    /// Writes the members of a log line into an object that has been begun.
    package mutating func append(_ line: AccessLine) {
        name("method")
        value(line.method)
        name("route")
        value(line.route)
        name("status")
        value(line.status)
        name("duration_ms")
        value(Double(line.microseconds) / 1000)
        name("request_id")
        value(line.requestID)
        if let code = line.code { member("code", code.rawValue) }
        if let reason = line.reason { member("reason", reason) }
    }
}
