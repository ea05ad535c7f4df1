import HTTPTypes

/// The methods and limits of each path, for code that runs before the router.
struct RouteTable: Sendable {
    /// An endpoint, and its path split at slashes.
    private struct Route {
        let pattern: [Substring.UTF8View]
        let endpoint: Endpoint

        init(_ endpoint: Endpoint) {
            pattern = RouteTable.segments(endpoint.path)
            self.endpoint = endpoint
        }

        func matches(_ segments: [Substring.UTF8View]) -> Bool {
            pattern.count == segments.count
                && zip(pattern, segments).allSatisfy { $0.first == UInt8(ascii: "{") || $0.elementsEqual($1) }
        }
    }

    private let routes: [Route]
    /// The routes with other limits than the default, by method.
    private let exceptions: [HTTPRequest.Method: [Route]]
    /// The pages of other origins that may read the answers of a path, which all its methods share.
    private let readers: [String: CrossOrigin.Readers]
    /// The routes that take transactions.
    private let transactional: [Route]

    init(_ endpoints: [Endpoint]) {
        routes = endpoints.map(Route.init)
        let exceptions = routes.filter {
            $0.endpoint.bodyLimit != Endpoint.bodyLimit || $0.endpoint.deadlineSeconds != Endpoint.deadlineSeconds
        }
        self.exceptions = Dictionary(grouping: exceptions, by: \.endpoint.method)
        readers = Dictionary(endpoints.map { ($0.path, $0.readers) }) { first, _ in first }
        transactional = routes.filter(\.endpoint.takesTransactions)
    }

    /// True unless a segment of the path is empty, as in `//api/x`, `/api//x` and `/api/x/`. The router passes over
    /// empty segments, so such a path would reach a route past a proxy that refuses the route's path.
    static func isExact(_ path: String) -> Bool {
        path == "/" || !segments(path).contains { $0.isEmpty }
    }

    /// The seconds that a request may take from the end of its header to the end of its answer.
    func deadlineSeconds(of method: HTTPRequest.Method, at path: String) -> Int64 {
        exception(method, path)?.deadlineSeconds ?? Endpoint.deadlineSeconds
    }

    /// The largest request body in bytes.
    func bodyLimit(of method: HTTPRequest.Method, at path: String) -> Int {
        exception(method, path)?.bodyLimit ?? Endpoint.bodyLimit
    }

    /// The value of the `Allow` header for a path; nil if the path has no route.
    func allowed(at path: String) -> String? {
        let segments = Self.segments(path)
        let methods = routes.filter { $0.matches(segments) }.map(\.endpoint.method)
        guard !methods.isEmpty else { return nil }
        var names = methods.map(\.rawValue)
        if methods.contains(.get) { names.append("HEAD") }
        names.append("OPTIONS")
        return names.joined(separator: ", ")
    }

    /// The pages of other origins that may read the answers at `path`; none if no route matches. `route` is the pattern
    /// of the matching route, if the caller knows it.
    func readers(at path: String, of route: String? = nil) -> CrossOrigin.Readers {
        if let route, let known = readers[route] { return known }
        let segments = Self.segments(path)
        return routes.first { $0.matches(segments) }?.endpoint.readers ?? CrossOrigin.Readers.none
    }

    /// A copy of `problem` that says whether the endpoint at `path` takes transactions.
    func marked(_ problem: Problem, at path: String) -> Problem {
        let segments = Self.segments(path)
        var problem = problem
        problem.concernsTransactions = transactional.contains { $0.matches(segments) }
        return problem
    }

    private func exception(_ method: HTTPRequest.Method, _ path: String) -> Endpoint? {
        guard let candidates = exceptions[method == .head ? .get : method] else { return nil }
        let segments = Self.segments(path)
        return candidates.first { $0.matches(segments) }?.endpoint
    }

    /// The segments of a path: what stands behind each slash. Bytes are compared, because characters take longer.
    private static func segments(_ path: String) -> [Substring.UTF8View] {
        Array(path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst())
    }
}
