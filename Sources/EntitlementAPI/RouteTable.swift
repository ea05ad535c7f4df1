import HTTPTypes

/// What the router does not tell: which methods a path has, how large a body it takes, and how long it may take.
struct RouteTable: Sendable {
    /// What a request may take unless its route says otherwise.
    static let deadlineSeconds: Int64 = 30

    private let routes: [(pattern: [Substring], endpoint: Endpoint)]
    /// By exact path: the few that may take longer.
    private let deadlines: [String: Int64]

    init(_ endpoints: [Endpoint]) {
        routes = endpoints.map { (Self.segments($0.path), $0) }
        let patient = endpoints.filter { $0.deadlineSeconds != Self.deadlineSeconds }
        deadlines = Dictionary(patient.map { ($0.path, $0.deadlineSeconds) }, uniquingKeysWith: max)
    }

    /// How long a request may take from the end of its header to the end of its answer.
    func deadlineSeconds(at path: String) -> Int64 {
        deadlines[path] ?? Self.deadlineSeconds
    }

    /// The value of `Allow`; nil for a path that nobody answers.
    func allowed(at path: String) -> String? {
        let methods = matches(path).map(\.method)
        guard !methods.isEmpty else { return nil }
        var names = methods.map(\.rawValue)
        if methods.contains(.get) { names.append("HEAD") }
        names.append("OPTIONS")
        return names.joined(separator: ", ")
    }

    /// The largest body that any method of the path takes.
    func bodyLimit(at path: String) -> Int {
        matches(path).map(\.bodyLimit).max() ?? Endpoint.bodyLimit
    }

    private func matches(_ path: String) -> [Endpoint] {
        let segments = Self.segments(path)
        let matching = routes.filter { route in
            route.pattern.count == segments.count
                && zip(route.pattern, segments).allSatisfy { $0.hasPrefix("{") || $0.utf8.elementsEqual($1.utf8) }
        }
        return matching.map(\.endpoint)
    }

    /// As the router has it: slashes separate, and empty pieces do not count.
    private static func segments(_ path: String) -> [Substring] {
        path.split(separator: "/")
    }
}
