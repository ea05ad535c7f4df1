import AppStore
import Entitlements
import Hummingbird
import LedgerStore
import StrictJSON

extension Routes {
    /// Pairs of routes that do the same: one for users about themselves, the other for servers about a user. The name
    /// of each route leads to the name of the other.
    static let twins: [String: String] = {
        let routes = Set(all.map(\.name))
        var twins: [String: String] = [:]
        for endpoint in all where endpoint.path.hasPrefix("/api/") && !endpoint.path.hasPrefix("/api/admin/") {
            let pieces = endpoint.path.split(separator: "/").dropFirst()
            for end in [pieces, pieces.suffix(1)] {
                let path = "/api/admin/users/{user_id}/" + end.joined(separator: "/")
                let twin = Endpoint.name(endpoint.method, path)
                guard routes.contains(twin) else { continue }
                twins[endpoint.name] = twin
                twins[twin] = endpoint.name
                break
            }
        }
        return twins
    }()
}

extension OpenCall {
    /// The name of the route that does for servers what this request's route does for users, or the reverse; nil if
    /// there is none.
    var twin: String? {
        context.endpointPath.flatMap { Routes.twins[Endpoint.name(request.method, $0)] }
    }
}

/// Routes for users and for servers, made from functions that work for any user.
extension Routes {
    /// The route of a user's read about themselves.
    static func about(
        _ answer: @escaping @Sendable (Principal, UserCall) async throws(Problem) -> Response
    ) -> @Sendable (UserCall) async throws(Problem) -> Response {
        { call throws(Problem) in try await answer(call.principal, call) }
    }

    /// The route of a user's own write with a request body.
    static func own(
        _ answer: @escaping @Sendable (Principal, JSONBody, UserCall) async throws(Problem) -> JSONAnswer
    ) -> @Sendable (UserCall) async throws(Problem) -> Response {
        { call throws(Problem) in try await answer(call.principal, try await call.json(), call).response }
    }

    /// The route of a user's own write that takes neither a request body nor a reason.
    static func own(
        _ answer: @escaping @Sendable (Principal, String?, UserCall) async throws(Problem) -> JSONAnswer
    ) -> @Sendable (UserCall) async throws(Problem) -> Response {
        { call throws(Problem) in try await answer(call.principal, nil, call).response }
    }

    /// The route of a server's read about the user in the path.
    static func about(
        _ answer: @escaping @Sendable (Principal, ServerCall) async throws(Problem) -> Response
    ) -> @Sendable (ServerCall) async throws(Problem) -> Response {
        { call throws(Problem) in try await answer(try call.principal(), call) }
    }

    /// The route of a server's write whose idempotency key is recorded in the user's ledger.
    static func idempotentByLedger(
        _ answer: @escaping @Sendable (Principal, JSONBody, ServerCall) async throws(Problem) -> JSONAnswer
    ) -> @Sendable (ServerCall) async throws(Problem) -> Response {
        { call throws(Problem) in
            let principal = try call.principal()
            let body = try await call.json()
            guard try !call.isDryRun() else {
                return try await call.previewing { dry throws(Problem) in try await answer(principal, body, dry) }
            }
            return try await answer(principal, body, call).response
        }
    }

    /// The route of a server's write that is carried out at most once for each of the server's idempotency keys.
    ///
    /// - Parameter other: The member of the body that names a second user.
    static func idempotent(
        with other: String? = nil,
        _ answer: @escaping @Sendable (Principal, JSONBody, ServerCall) async throws(Problem) -> JSONAnswer
    ) -> @Sendable (ServerCall) async throws(Problem) -> Response {
        { call throws(Problem) in
            let principal = try call.principal()
            let body = try await call.optionalJSON()
            guard try !call.isDryRun() else {
                try body.requireObject()
                return try await call.previewing { dry throws(Problem) in try await answer(principal, body, dry) }
            }
            let another = other.flatMap { body.value[$0]?.string }.flatMap { UserID($0) }
            let subject = IdempotencySubject(principal.user, and: another, under: try call.labels())
            return try await call.idempotently(body, about: subject) { _ async throws(Problem) in
                try body.requireObject()
                return try await answer(principal, body, call)
            }
        }
    }

    /// The route of a server's idempotent write on a database row, whose number is the path's `parameter`. If `act` or
    /// `preview` returns nil, the answer is `not_found`.
    static func idempotent(
        _ action: AuditAction, onRow parameter: String,
        previewedBy preview: @escaping @Sendable (Store, UInt64) async throws -> [UInt8]?,
        _ act: @escaping @Sendable (Store, UInt64, Actor, String?) async throws -> [UInt8]?
    ) -> @Sendable (ServerCall) async throws(Problem) -> Response {
        { call throws(Problem) in
            let body = try await call.optionalJSON()
            try body.requireObject()
            let reason = try body.reason()
            let number = call.context.parameters.get(parameter).flatMap { UInt64($0) }
            guard try !call.isDryRun() else {
                guard let number, let previewed = try await call.served({ try await preview($0, number) }) else {
                    throw .notFound
                }
                return .json(previewed)
            }
            return try await call.idempotently(body, about: .nobody) { _ async throws(Problem) in
                guard let number else { throw .notFound }
                let bytes = try await call.served { try await act($0, number, call.actor, reason) }
                guard let bytes else { throw .notFound }
                call.api.logger.tell(action, by: call.actor)
                return JSONAnswer(bytes: bytes)
            }
        }
    }

    /// The route of a server's idempotent write whose body holds at most a reason.
    static func idempotent(
        _ answer: @escaping @Sendable (Principal, String?, ServerCall) async throws(Problem) -> JSONAnswer
    ) -> @Sendable (ServerCall) async throws(Problem) -> Response {
        idempotent { principal, body, call throws(Problem) in
            try await answer(principal, try principal.reason(in: body), call)
        }
    }
}
