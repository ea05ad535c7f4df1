package import Entitlements
import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// A question to the simulated App Store Server API.
package struct SimulatedQuestion: Sendable {
    /// The method, in capitals.
    package let method: String
    /// The parts of the path below the address of the environment.
    package let path: [String]
    /// The environment whose server is asked.
    package let environment: StoreEnvironment
    package let revision: String?
    package let paginationToken: String?
    package let body: [UInt8]
    /// The bearer token; empty without one.
    package let token: String
}

/// An answer of the simulated App Store Server API.
package struct SimulatedAnswer: Sendable {
    package let status: Int
    /// JSON in Apple's members, or nothing.
    package let body: [UInt8]
    /// The field `Retry-After`, in Apple's form: milliseconds since the epoch.
    package let retryAfter: String?

    package init(status: Int, body: [UInt8] = [], retryAfter: String? = nil) {
        self.status = status
        self.body = body
        self.retryAfter = retryAfter
    }
}

/// The App Store Server API of a development server, under `/dev/apple` (`api.md`, "Development").
package protocol SimulatedAppStoreServer: Sendable {
    /// The answer to a question. Throws if the store's files cannot be read.
    func answer(to question: SimulatedQuestion) async throws -> SimulatedAnswer
    /// Makes these faults from now on, and no others. Throws if they cannot be written down.
    func make(_ faults: SimulatedFaults) async throws
}

/// The routes under `/dev/apple/{environment}`, which is `production` or `sandbox`: the simulated App Store Server API
/// and verifyReceipt, on Apple's paths (`apple.md` §9.2, §10.3).
enum SimulatedAppStoreRoute {
    private static let environments: [String: StoreEnvironment] = ["production": .production, "sandbox": .sandbox]

    /// Apple's parameters of a transaction history.
    private static let history = [
        "revision", "sort", "startDate", "endDate", "productId", "productType", "subscriptionGroupIdentifier",
        "inAppOwnershipType", "revoked",
    ]

    static let all: [Endpoint] = [
        Endpoint.open(.get, "/dev/apple/{environment}/inApps/v2/history/{transaction_id}", respond).reading(history),
        Endpoint.open(.put, "/dev/apple/{environment}/inApps/v2/transactions/consumption/{transaction_id}", respond),
        Endpoint.open(
            .put, "/dev/apple/{environment}/inApps/v1/transactions/{transaction_id}/appAccountToken", respond),
        Endpoint.open(.get, "/dev/apple/{environment}/inApps/v1/lookup/{order_id}", respond),
        Endpoint.open(.get, "/dev/apple/{environment}/inApps/v1/transactions/{transaction_id}", respond),
        Endpoint.open(.get, "/dev/apple/{environment}/inApps/v1/subscriptions/{transaction_id}", respond).reading([
            "status"
        ]),
        Endpoint.open(.post, "/dev/apple/{environment}/inApps/v1/notifications/history", respond).reading([
            "paginationToken"
        ]),
        Endpoint.open(.post, "/dev/apple/{environment}/inApps/v1/notifications/test", respond),
        Endpoint.open(.get, "/dev/apple/{environment}/inApps/v1/notifications/test/{token}", respond),
        Endpoint.open(.post, "/dev/apple/{environment}/verifyReceipt", respond).allowing(
            bodyBytes: ReceiptRoute.bodyLimit * 2),
        Endpoint.open(.post, "/dev/apple/faults", SimulatedFaultsRoute.respond),
    ]

    /// - Throws: `not_found` without a simulated store, `unavailable` if its files cannot be read.
    private static func respond(to call: OpenCall) async throws(Problem) -> Response {
        guard let server = call.api.simulatedServer,
            let environment = call.named("environment").flatMap({ environments[$0] })
        else { throw .notFound }
        let query = try Query(call.request.uri.query)
        let field = call.request.headers[.authorization] ?? ""
        let question = SimulatedQuestion(
            method: call.request.method.rawValue,
            path: call.request.uri.path.split(separator: "/").dropFirst(3).map(String.init), environment: environment,
            revision: try query.text("revision"), paginationToken: try query.text("paginationToken"),
            body: call.request.method == .get ? [] : try await call.bytes(),
            token: field.hasPrefix("Bearer ") ? String(field.dropFirst("Bearer ".count)) : "")
        do {
            let answer = try await server.answer(to: question)
            var response = Response(
                status: .init(code: answer.status), headers: [.contentType: "application/json"],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body)))
            response.headers[.retryAfter] = answer.retryAfter
            return response
        } catch {
            call.api.logger.error("the simulated App Store failed", metadata: ["error": "\(error)"])
            throw Problem(.unavailable, "The simulated App Store failed.")
        }
    }
}
