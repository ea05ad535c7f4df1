import HTTPTypes
import Hummingbird
import Logging

/// The layer around every request. It gives the request an id, checks the declared size of the body, and turns every
/// error into a problem. It adds the headers that belong on every answer, which state the rate limit and the pages that
/// may read the answer. It also writes a line to the log and counts the request in the metrics.
///
/// No error leaves this layer, so Hummingbird's own error answers never reach a client.
struct Envelope: RouterMiddleware {
    let api: API.Dependencies
    let table: RouteTable

    /// - Throws: Nothing; every error becomes a problem.
    func handle(
        _ request: Request, context: APIContext, next: (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        let startedAt = api.uptime()
        var context = context
        let given = request.headers[.requestID]
        context.requestID = given.flatMap { RequestID.isAcceptable($0) ? $0 : nil } ?? api.newRequestID()
        var response: Response
        var told: Problem?
        do {
            guard RouteTable.isExact(request.uri.path) else { throw Problem.notFound }
            try requireAcceptableSize(request)
            response = try await next(request, context)
        } catch let problem as Problem where problem != .unexpected {
            told = problem
            response = answer(with: problem, request, context)
        } catch let error as any HTTPResponseError {
            response = answer(to: error, request, context)
        } catch {
            response = unexpected(error, request, context)
        }
        if request.method == .head { response = response.createHeadResponse() }
        response.headers[.requestID] = context.requestID
        response.headers[.xContentTypeOptions] = "nosniff"
        // If the router finds no route, the endpoint's path is a word without a slash.
        let route = context.endpointPath.flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "-"
        if let quota = context.countedRate.quota { response.headers.tell(quota) }
        let readers = table.readers(at: request.uri.path, of: route)
        api.crossOrigin.tell(readers, answering: request.head, in: &response.headers)
        let (status, duration) = (response.status.code, api.uptime() - startedAt)
        api.metrics.answered(request.method, route, status: status, after: duration)
        api.logAccess(
            AccessLine(
                method: request.method.rawValue, route: route, status: status, duration: duration,
                requestID: context.requestID, code: told?.code, reason: told?.reason))
        return response
    }

    /// - Throws: `payload_too_large` if the declared length is over the route's limit; no byte of the body is read
    ///   then.
    private func requireAcceptableSize(_ request: Request) throws(Problem) {
        guard let field = request.headers[.contentLength] else { return }
        // A length that does not fit an integer is over every limit.
        let length = Int(field) ?? .max
        let limit = table.bodyLimit(of: request.method, at: request.uri.path)
        guard length <= limit else { throw .bodyTooLarge(limit: limit) }
    }

    /// The answer to an error of Hummingbird: 404, 405, the answer to `OPTIONS`, or an unexpected error.
    private func answer(to error: any HTTPResponseError, _ request: Request, _ context: APIContext) -> Response {
        guard error.status == .notFound else { return unexpected(error, request, context) }
        guard let allowed = table.allowed(at: request.uri.path) else {
            return answer(with: .notFound, request, context)
        }
        guard request.method == .options else {
            return answer(with: .methodNotAllowed(allowed), request, context)
        }
        return Response(status: .noContent, headers: [.allow: allowed, .cacheControl: "no-store"])
    }

    private func answer(with problem: Problem, _ request: Request, _ context: APIContext) -> Response {
        .problem(table.marked(problem, at: request.uri.path), requestID: context.requestID)
    }

    private func unexpected(_ error: any Error, _ request: Request, _ context: APIContext) -> Response {
        api.logger.error(
            "unexpected error",
            metadata: ["request_id": .string(context.requestID), "error": .string(String(describing: type(of: error)))])
        return answer(with: .unexpected, request, context)
    }
}
