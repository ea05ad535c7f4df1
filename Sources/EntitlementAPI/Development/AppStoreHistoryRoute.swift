import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// The App Store Server API of a development server, under `/dev/apple` (`api.md`, "Development").
package protocol SimulatedAppStoreServer: Sendable {
    /// The status and body of the answer to Get Transaction History v2.
    ///
    /// - Parameters:
    ///   - transaction: A transaction id, an original transaction id or an app transaction id.
    ///   - revision: The revision of the page before; nil for the first page.
    ///   - token: The bearer token of the question.
    func history(
        of transaction: String, after revision: String?, bearing token: String
    ) async throws -> (status: Int, body: [UInt8])
}

/// `GET /dev/apple/inApps/v2/history/{transaction_id}`: the simulated answer to Get Transaction History v2. Filters are
/// ignored.
enum AppStoreHistoryRoute {
    /// Apple's parameters.
    static let parameters = [
        "revision", "sort", "startDate", "endDate", "productId", "productType", "subscriptionGroupIdentifier",
        "inAppOwnershipType", "revoked",
    ]

    /// - Throws: `not_found` without a simulated store, `unavailable` if its files cannot be read.
    static func respond(to call: OpenCall) async throws(Problem) -> Response {
        guard let server = call.api.simulatedServer, let transaction = call.named("transaction_id") else {
            throw .notFound
        }
        let revision = try Query(call.request.uri.query).text("revision")
        let field = call.request.headers[.authorization] ?? ""
        do {
            let answer = try await server.history(
                of: transaction, after: revision,
                bearing: field.hasPrefix("Bearer ") ? String(field.dropFirst("Bearer ".count)) : "")
            return Response(
                status: .init(code: answer.status), headers: [.contentType: "application/json"],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body)))
        } catch {
            call.api.logger.error("the simulated App Store failed", metadata: ["error": "\(error)"])
            throw Problem(.unavailable, "The simulated App Store failed.")
        }
    }
}
